/** The plan of a language model that learns from labels, on games or a dataset. */
import { checkSettings, learnsPairs, type DaggerState } from '@emac/algorithms';
import { EmacError, Random } from '@emac/core';
import { fittingSets, leftOutTexts, openOfflineSets, type FittingSets } from '@emac/datasets';
import { encodeFloats } from '@emac/files';
import type { Student } from '@emac/model';
import {
  adapterFiles,
  adapterStart,
  environmentId,
  inUse,
  languagePolicy,
  openModel,
  openTeacher,
  openTrained,
  parallelOf,
  projectionForm,
  projectionTensors,
  requireFrameAlone,
  requirePlayable,
  shortage,
  speechIn,
  speechOf,
  storedProjection,
  trainedParts,
  type Host,
  type LanguagePolicy,
  type Learning,
  type OpenModel,
  type ProjectionStart,
  type RunPlay,
  type Teacher,
} from '@emac/opening';
import { requireFittingTraining, usualEnvironment, type TrainConfig } from '@emac/settings';
import { requireForWorkers } from '@emac/workers';
import { referenceFolder } from '../checkpoint/reference-folder.ts';
import { evaluationPlay } from '../evaluation/evaluated-play.ts';
import { checkTogether, isOwnStart, methodOf } from './asked-training.ts';
import { gamesFrom, sourceOf, wonBefore } from './game-draw.ts';
import type { Continued, Planning, Reference, TrainingPlan } from './plan.ts';
import { plannedPolicy, plannedReference, samplingsOf, type OpenedReference } from './planned-policy.ts';
import { formOf, resolved, settingsOf, type Resolving } from './resolved.ts';
import { carriedMemories, playedBefore, projectionStart } from './start.ts';

/** Errors: as `planTraining`'s. */
export async function planModel(
  asked: TrainConfig,
  { host, continued, open }: Planning,
): Promise<TrainingPlan> {
  checkTogether(asked);
  requireFittingTraining(asked);
  requirePlayable(asked);
  const method = methodOf(asked, host);
  if (host.workers) requireForWorkers(asked);
  const random = Random.fromSeed(asked.seed);
  const sets = openOfflineSets(asked);
  open.add(() => sets?.close());
  const { env, seed, play: asks } = asked;
  const { world } = asked;
  const given = host.environment ?? null;
  const kind = await openTrained({ env, seed, maxSteps: asks.maxSteps }, given, { world, host });
  open.add(() => kind?.close?.());
  const source = sets === null ? await sourceOf(asked, host, kind) : null;
  const model = await openModel(asked.model, host);
  const ref = asked.start.ref !== null && continued ? referenceFolder(continued.folder) : asked.start.ref;
  const referenceStart = ref === null ? null : storedProjection(ref, model);
  requireSameEnvironment(asked, referenceStart, host);
  const start = startOf(asked, { model, random, point: continued?.point ?? null });
  const solvedBefore = wonBefore(asked, ref, continued?.point ?? null);
  const before =
    ref === null ? null : playedBefore(ref, { seen: referenceStart!.games, solved: solvedBefore });
  const draw = { before, random: random.stream('games') };
  const { play, list, said } = await gamesFrom(source, { asked, continued, host, draw });
  const speech = speechOf(asked.speech, start.form ?? referenceStart?.form ?? null, model.files);
  const listed = source?.list ?? null;
  const config = resolved(asked, { model, speech, start, referenceStart, list: listed, play, kind });
  requireFrameAlone(config.speech.observe!, config.play);
  if (config.speech.observe !== 'text') sets?.requirePictures();
  const settings = settingsOf(config);
  checkSettings(settings);
  const { games } = play;
  const teacher = await openTeacher(config.expert, host, {
    random: random.stream('retries'),
    games,
    kind,
  });
  open.add(() => teacher.dispose());
  const policy = await languagePolicy(model, {
    start,
    form: formOf(config, { ...speech, kind }),
    ...learningOf(config, { model, reference: referenceStart }),
  });
  open.add(() => policy.dispose());
  const { student, form } = policy;
  // as published, the reference sees through the policy's vision norm: both are given the same features
  const reference = referenceStart && referenceOf(student, referenceStart);
  open.add(() => reference?.policy.dispose());
  const lengths = { policy: student, ...speech, pairs: learnsPairs(config.phase) };
  const offline = sets && (await fittingSets(sets, { ...lengths, skip: config.dataset!.skipBadRecords }));
  const evaluated = evaluationPlay(config.evaluation, kind);
  const earlier = [...start.games, ...(referenceStart?.games ?? []), ...(offline?.data.games ?? [])];
  const trainedOn = () => [...new Set([...earlier, ...play.tasks().map(({ id }) => id)])].sort();
  const memories = carriedMemories(config, ref);
  const beside = { trainedOn, solvedBefore };
  return {
    ...plannedPolicy(policy, beside),
    form,
    reference: reference && plannedReference(keptReference(policy, reference, memories), beside),
    versions: { tensorflow: model.tensorflow.note, provider: model.provider, model: model.identity },
    computing: inUse(model),
    language: { ...policy, reference },
    texts: speechIn(kind, student, { ...speech.text, thoughts: config.expert.thoughts }),
    before: (isOwnStart(config) ? null : reference?.policy) ?? student,
    config,
    settings,
    method,
    methodCode: host.method?.sha256 ?? null,
    ...samplingsOf(speech.generation.beams, config),
    teacher,
    offline,
    play,
    trainedOn,
    solvedBefore,
    evaluated,
    kind,
    environmentCode: host.environment?.sha256 ?? null,
    random,
    parallelEvaluation: config.evaluation.parallelEpisodes ?? parallelOf(student),
    parallelTraining: config.play.parallelEpisodes ?? parallelOf(student),
    memories,
    notes: notesOf({ list, said, student, offline, start, referenceStart, teacher, play, evaluated, config }),
    leftOutTexts: () => (offline ? leftOutTexts(offline.leftOut, offline.lengths) : []),
    dispose: () => open.close(),
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

/** The trained parts of the policy, and the reference's adapted ones. */
function learningOf(
  config: TrainConfig,
  { model, reference }: { readonly model: OpenModel; readonly reference: ProjectionStart | null },
): Learning {
  const alsoAdapted = reference?.adapter?.settings.targets ?? [];
  return { train: trainedParts(config, model), alsoAdapted, dropoutSeed: `${config.seed}` };
}

function referenceOf(student: Student, start: ProjectionStart): Reference {
  const { adapter } = start;
  const parameters = start.projection && start.projection.parameters;
  if (parameters instanceof Random) throw new EmacError('internal', 'reference: has no known parameters');
  const all = new Map([...(parameters ?? []), ...(adapter?.parameters ?? [])]);
  const policy = student.under(all, adapter?.settings);
  return { policy, form: projectionForm(start), projection: parameters, adapter };
}

function notesOf(
  noted: Omit<Resolving, 'model' | 'speech' | 'kind'> & {
    /** on the draw of games */
    readonly said: string | null;
    readonly student: Student;
    readonly offline: FittingSets | null;
    readonly teacher: Teacher;
    readonly evaluated: RunPlay;
    readonly config: TrainConfig;
  },
): readonly string[] {
  const { list, said, student, offline, start, referenceStart, teacher, play, evaluated, config } = noted;
  return [
    list?.leftOut ?? null,
    said,
    student.note,
    offline?.note ?? null,
    ...(offline ? leftOutTexts(offline.leftOut, offline.lengths) : []),
    ...new Set([start.note, referenceStart?.note ?? null]),
    ...teacher.notes,
    list && shortage('--games-per-round', play.tasks().length, config.play.gamesPerRound),
    shortage('--eval-games', evaluated.tasks().length, config.evaluation.games),
  ].filter((each) => each !== null);
}
