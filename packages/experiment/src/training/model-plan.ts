/** The plan of a language model that learns from labels, on games or a dataset. */
import { type DaggerState } from '@emac/algorithms';
import { EmacError, Random } from '@emac/core';
import { encodeFloats } from '@emac/files';
import type { Student } from '@emac/model';
import {
  adapterFiles,
  adapterStart,
  environmentId,
  inUse,
  languagePolicy,
  openModel,
  parallelOf,
  projectionForm,
  projectionTensors,
  requireFrameAlone,
  speechOf,
  storedProjection,
  trainedParts,
  wordsNotes,
  type Host,
  type LanguagePolicy,
  type OpenModel,
  type ProjectionStart,
} from '@emac/opening';
import { modelIn, usualEnvironment, type TrainConfig } from '@emac/settings';
import { formOf, resolved } from './resolved.ts';
import { projectionStart } from './start.ts';
import type { OpenedReference, PolicyStarted, Reference, Starting, Continued } from './plan.ts';

/** Errors: as `planTraining`'s. */
export async function modelStart(
  asked: TrainConfig,
  { host, continued, open, kind, ref, random }: Starting,
): Promise<PolicyStarted> {
  const model = await openModel(modelIn(asked), host);
  const referenceStart = ref === null ? null : storedProjection(ref, model);
  requireSameEnvironment(asked, referenceStart, host);
  const start = startOf(asked, { model, random, point: continued?.point ?? null });
  const speech = speechOf(asked.speech, start.form ?? referenceStart?.form ?? null, model.files);
  const seen = referenceStart?.games ?? [];
  return {
    seen,
    earlier: [...start.games, ...seen],
    resolved(play) {
      const config = resolved(asked, { model, speech, start, referenceStart, kind, play });
      requireFrameAlone(config.speech.observe!, config.play);
      return config;
    },
    async open(config, memories) {
      const policy = await languagePolicy(model, {
        start,
        form: formOf(config, { ...speech, kind }),
        train: trainedParts(config, model),
        alsoAdapted: referenceStart?.adapter?.settings.targets ?? [],
        dropoutSeed: `${config.seed}`,
      });
      open.add(() => policy.dispose());
      const { student, form } = policy;
      // as published, the reference sees through the policy's vision norm: both are given the same features
      const reference = referenceStart && referenceOf(student, referenceStart);
      open.add(() => reference?.policy.dispose());
      return {
        policy,
        form,
        reference: reference && keptReference(policy, reference, memories),
        speech,
        versions: { tensorflow: model.tensorflow.note, provider: model.provider, model: model.identity },
        computing: inUse(model),
        language: { ...policy, reference },
        texts: kind.speech(student, { ...speech.text, thoughts: config.expert.thoughts }),
        together: parallelOf(student),
        notes: [
          ...new Set([start.note, referenceStart?.note ?? null]),
          ...wordsNotes(kind, { name: asked.policy, files: model.files }),
        ],
      };
    },
  };
}

/** The reference as it is kept: its own projection beside the policy's other settings. */
function keptReference(
  { model, form, visionNorm, identity }: LanguagePolicy,
  { policy, projection, adapter, form: own }: Reference,
  memories: DaggerState['memories'],
): OpenedReference {
  return {
    policy,
    // an adapter, if any, belongs to the reference
    tensors: new Map([...(projection ?? []), ...(adapter?.parameters ?? [])]),
    identity,
    stored: { policy: { ...form, projection: own } },
    memories,
    files: () => {
      const tensors = projectionTensors({ projection }, visionNorm);
      return new Map([
        ...(tensors ? [['projection.safetensors', encodeFloats(tensors)] as const] : []),
        ...(adapter ? adapterFiles(adapter, model.files.family).files : []),
      ]);
    },
  };
}

/** Errors: `usage` if the reference was trained in another environment. */
function requireSameEnvironment(
  { env, start: { ref } }: TrainConfig,
  reference: ProjectionStart | null,
  { environment }: Pick<Host, 'environment'>,
): void {
  if (!reference?.form) return;
  const { env: before = usualEnvironment } = reference.form;
  if (before !== environmentId(env, environment ?? null))
    throw new EmacError(
      'usage',
      `--ref ${ref}: was trained in ${before}, got --env ${env}; give --env ${before}`,
    );
}

/** The start of training, or its checkpoint. */
function startOf(
  asked: TrainConfig,
  { model, random, point }: { model: OpenModel; random: Random; point: Continued['point'] | null },
): ProjectionStart {
  const start = point ? storedProjection(point.folder, model) : projectionStart(asked, model, random);
  return { ...start, adapter: adapterStart(asked, { start, model, random }) };
}

function referenceOf(student: Student, start: ProjectionStart): Reference {
  const { adapter } = start;
  const parameters = start.projection && start.projection.parameters;
  if (parameters instanceof Random) throw new EmacError('internal', 'reference: has no known parameters');
  const all = new Map([...(parameters ?? []), ...(adapter?.parameters ?? [])]);
  const policy = student.under(all, adapter?.settings);
  return { policy, form: projectionForm(start), projection: parameters, adapter };
}
