/** The policy that learns from labels, opened from its start, and the one that preferences are measured against. */
import type { DaggerState } from '@emac/algorithms';
import { EmacError, Random } from '@emac/core';
import { encodeFloats } from '@emac/files';
import type { Student } from '@emac/model';
import {
  adapterFiles,
  adapterStart,
  inEpisodes,
  languagePolicy,
  openModel,
  openWordedNetwork,
  projectionForm,
  projectionTensors,
  requireFrameAlone,
  speechOf,
  storedProjection,
  trainedParts,
  wordsNotes,
  type EpisodePolicy,
  type LanguagePolicy,
  type ProjectionStart,
} from '@emac/opening';
import { modelIn, smallNetworkOf, type TrainConfig } from '@emac/settings';
import { keptReference } from '../checkpoint/reference-folder.ts';
import type { PlannedReference, Reference, Starting, StartedPolicy } from './plan.ts';
import { formOf, resolved } from './resolved.ts';
import { carriedMemories, projectionStart } from './start.ts';

/** Errors: as `planTraining`'s. */
export function startPolicy(asked: TrainConfig, starting: Starting): Promise<StartedPolicy> {
  return smallNetworkOf(asked) ? startNetwork(asked, starting) : startModel(asked, starting);
}

async function startNetwork(
  asked: TrainConfig,
  { continued, open, kind, ref, from, random }: Starting,
): Promise<StartedPolicy> {
  const { env, policy: name, init, start, model } = asked;
  const named = { env, policy: name, provider: model.provider, maxSteps: kind.maxSteps };
  const openFrom = async (place: string | null): Promise<EpisodePolicy> => {
    const parameters = { random: random.stream('network'), from: place, typed: continued?.policy };
    const network = await openWordedNetwork(named, kind, parameters);
    open.add(() => network.dispose());
    return network;
  };
  const policy = await openFrom(from);
  const referee = ref === null ? null : await openFrom(ref);
  return {
    config: { ...asked, init: init ?? start.ref ?? 'random' },
    policy,
    reference: referee && keptNetwork(referee),
    versions: { ...kind.versions, model: policy.identity },
    language: null,
    memories: [],
    notes: [],
  };
}

/** The reference as it is kept. */
function keptNetwork({ learner, content, identity, stored }: EpisodePolicy): PlannedReference {
  const { tensors, files } = content().beside![0]!;
  return keptReference({ policy: learner, tensors, files: () => files, identity, stored });
}

async function startModel(
  asked: TrainConfig,
  { host, continued, open, kind, ref, random }: Starting,
): Promise<StartedPolicy> {
  const model = await openModel(modelIn(asked), host);
  const referenceStart = ref === null ? null : storedProjection(ref, model);
  const point = continued?.point ?? null;
  const own = point ? storedProjection(point.folder, model) : projectionStart(asked, model, random);
  const start = { ...own, adapter: adapterStart(asked, { start: own, model, random }) };
  const form = start.form ?? referenceStart?.form ?? null;
  const speech = speechOf(asked.speech, form, {
    files: model.files,
    env: kind.id,
    dialogue: kind.dialogue,
    isTold: asked.dataset !== null,
  });
  const config = resolved(asked, { model, speech, start, referenceStart });
  requireFrameAlone(config.speech.observe!, config.play);
  const memories = carriedMemories(config, ref);
  const policy = await languagePolicy(model, {
    start,
    form: formOf(config, { ...speech, kind }),
    train: trainedParts(config, model),
    alsoAdapted: referenceStart?.adapter?.settings.targets ?? [],
    dropoutSeed: `${config.seed}`,
  });
  open.add(() => policy.dispose());
  // as published, the reference sees through the policy's vision norm: both are given the same features
  const reference = referenceStart && referenceOf(policy.student, referenceStart);
  open.add(() => reference?.policy.dispose());
  return {
    config,
    policy: inEpisodes(policy, kind),
    reference: reference && keptModel(policy, reference, memories),
    versions: { tensorflow: model.tensorflow.note, provider: model.provider, model: model.identity },
    language: { ...policy, reference },
    memories,
    notes: [
      ...new Set([start.note, referenceStart?.note ?? null]),
      ...wordsNotes(kind, { name: asked.policy, files: model.files }),
    ],
  };
}

/** The reference as it is kept: its own projection beside the policy's other settings. */
function keptModel(
  { model, form, visionNorm, identity }: LanguagePolicy,
  { policy, projection, adapter, form: own }: Reference,
  memories: DaggerState['memories'],
): PlannedReference {
  return keptReference({
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
  });
}

function referenceOf(student: Student, start: ProjectionStart): Reference {
  const { adapter } = start;
  const parameters = start.projection && start.projection.parameters;
  if (parameters instanceof Random) throw new EmacError('internal', 'reference: has no known parameters');
  const all = new Map([...(parameters ?? []), ...(adapter?.parameters ?? [])]);
  const policy = student.under(all, adapter?.settings);
  return { policy, form: projectionForm(start), projection: parameters, adapter };
}
