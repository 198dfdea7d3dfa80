/**
 * Everything a training run needs, opened and checked before its folder is made: bad input leaves nothing behind. Only the
 * pictures of a dataset are decoded later, each when it is first read.
 */
import {
  checkSettings,
  labelMethod,
  learnsPairs,
  type LabelMethod,
  type DaggerState,
  type TrainingSettings,
} from '@emac/algorithms';
import type { Adapter, VisionNorm } from '@emac/backbone';
import {
  EmacError,
  Random,
  type OpenedKind,
  type ParameterSet,
  type Policy,
  type Sampling,
  type Scorer,
  type Speech,
} from '@emac/core';
import { fittingSets, leftOutTexts, openOfflineSets, type FittingSets } from '@emac/datasets';
import type { FixedPolicy, Student } from '@emac/model';
import {
  adapterStart,
  closings,
  environmentId,
  openModel,
  openStudent,
  openTeacher,
  openTrained,
  parallelOf,
  projectionForm,
  requireFrameAlone,
  requirePlayable,
  shortage,
  speechIn,
  speechOf,
  storedProjection,
  trainedParts,
  type Closings,
  type Host,
  type Learning,
  type OpenModel,
  type PolicyForm,
  type ProjectionStart,
  type RunPlay,
  type SpokenForm,
  type Teacher,
} from '@emac/opening';
import type { HeldRun } from '@emac/runs';
import { requireFittingTraining, usualEnvironment, type TrainConfig } from '@emac/settings';
import { requireForWorkers } from '@emac/workers';
import { referenceFolder } from '../checkpoint/reference-folder.ts';
import { gamesFrom, sourceOf, wonBefore, type DrawnBefore } from './game-draw.ts';
import { evaluationPlay } from '../evaluation/evaluated-play.ts';
import { formOf, resolved, settingsOf, type Resolving } from './resolved.ts';
import { carriedMemories, playedBefore, projectionStart } from './start.ts';

export interface TrainingPlan {
  /** every setting with the value in use */
  readonly config: TrainConfig;
  readonly settings: TrainingSettings;
  /** of the phase, or a program's own */
  readonly method: LabelMethod;
  /** SHA-256 of a program's own method; null for a built-in one */
  readonly methodCode: string | null;
  readonly form: PolicyForm;
  /** how answers are chosen outside training episodes */
  readonly sampling: Sampling;
  /** and in them */
  readonly acting: Sampling;
  readonly texts: Speech;
  readonly model: OpenModel;
  readonly student: Student;
  /** last norm of the vision model, if the projection came with one */
  readonly visionNorm: VisionNorm | null;
  /** dpo: the policy that preferences are measured against, the student's networks under other parameters */
  readonly reference: Reference | null;
  /** the policy evaluated "before": the reference if there is one, else the untrained student */
  readonly before: Policy & Scorer;
  readonly teacher: Teacher;
  /** null for training on games */
  readonly offline: FittingSets | null;
  /** no games for training on a dataset */
  readonly play: RunPlay;
  /** ids of all games trained on as far as they are known, earlier phases included, sorted */
  readonly trainedOn: readonly string[];
  /** ids of games that earlier phases won, sorted */
  readonly solvedBefore: readonly string[];
  /** played before and after training; by choice they may be games trained on */
  readonly evaluated: RunPlay;
  /** another environment than ALFWorld; null for that */
  readonly kind: OpenedKind | null;
  /** SHA-256 of a custom module; null for built-in ones */
  readonly environmentCode: string | null;
  readonly random: Random;
  /** episodes under way at once in evaluation and probe */
  readonly parallelEvaluation: number;
  /** lessons to begin with */
  readonly memories: DaggerState['memories'];
  /** sentences on skipped parts and checks */
  readonly notes: readonly string[];
  /** sentences on dataset records skipped so far */
  readonly leftOutTexts: () => readonly string[];
  readonly dispose: () => Promise<void>;
}

export interface Reference {
  readonly policy: FixedPolicy;
  readonly form: PolicyForm['projection'];
  readonly projection: ParameterSet | null;
  readonly adapter: Adapter | null;
}

/**
 * A resumed run and its resume point, with its own copy of the reference, and its parameters if there is a checkpoint.
 */
export interface Continued extends DrawnBefore, Pick<HeldRun, 'point'> {}

/** Opens and checks. Errors: `usage`, `missing`, `data`, `auth`, `unavailable`. */
export async function planTraining(
  asked: TrainConfig,
  host: Host,
  continued?: Continued,
): Promise<TrainingPlan> {
  const open = closings();
  try {
    return await planned(asked, { host, continued, open });
  } catch (thrown) {
    await open.close();
    throw thrown;
  }
}

interface Planning {
  readonly host: Host;
  readonly continued: Continued | undefined;
  /** the plan's opened resources */
  readonly open: Closings;
}

async function planned(asked: TrainConfig, { host, continued, open }: Planning): Promise<TrainingPlan> {
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
  const settings = settingsOf(config);
  checkSettings(settings);
  const { games } = play;
  const teacher = await openTeacher(config.expert, host, {
    random: random.stream('retries'),
    games,
    kind,
  });
  open.add(() => teacher.dispose());
  const student = await openStudent(model, start, {
    ...speech,
    ...learningOf(config, { model, reference: referenceStart }),
  });
  open.add(() => student.dispose());
  // as published, the reference sees through the policy's vision norm: both are given the same features
  const reference = referenceStart && referenceOf(student, referenceStart);
  open.add(() => reference?.policy.dispose());
  const lengths = { policy: student, ...speech, pairs: learnsPairs(config.phase) };
  const offline = sets && (await fittingSets(sets, { ...lengths, skip: config.dataset!.skipBadRecords }));
  const evaluated = evaluationPlay(config.evaluation, kind);
  const earlier = [...start.games, ...(referenceStart?.games ?? []), ...(offline?.data.games ?? [])];
  return {
    config,
    settings,
    method,
    methodCode: host.method?.sha256 ?? null,
    form: formOf(config, start, { ...speech, kind }),
    ...samplingsOf(speech, config),
    texts: speechIn(kind, student, { ...speech.text, thoughts: config.expert.thoughts }),
    model,
    student,
    visionNorm: start.visionNorm,
    reference,
    before: (isOwnStart(config) ? null : reference?.policy) ?? student,
    teacher,
    offline,
    play,
    get trainedOn() {
      return [...new Set([...earlier, ...play.tasks().map(({ id }) => id)])].sort();
    },
    solvedBefore,
    evaluated,
    kind,
    environmentCode: host.environment?.sha256 ?? null,
    random,
    parallelEvaluation: config.evaluation.parallelEpisodes ?? parallelOf(student),
    memories: carriedMemories(config, ref),
    notes: notesOf({ list, said, student, offline, start, referenceStart, teacher, play, evaluated, config }),
    leftOutTexts: () => (offline ? leftOutTexts(offline.leftOut, offline.lengths) : []),
    dispose: () => open.close(),
  };
}

/** Errors: `usage` if the configuration names another method than the program passes. */
function methodOf({ phase, method: named }: TrainConfig, { method: given }: Host): LabelMethod {
  if (named === given?.name) return given?.method ?? labelMethod(phase);
  throw new EmacError(
    'usage',
    `method: the configuration names ${named ?? 'none'}, the program passes ${given?.name ?? 'none'}; a custom method is code, so train and resume with it from its program`,
  );
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

/** True if training starts from the reference by default or by name. */
function isOwnStart({ start }: TrainConfig): boolean {
  return start.init === null || start.init === start.ref;
}

/** Search, but sampled answers in training episodes if requested. */
function samplingsOf(
  { generation: { beams } }: SpokenForm,
  { play: { sampleTemperature: temperature } }: TrainConfig,
): Pick<TrainingPlan, 'sampling' | 'acting'> {
  const sampling = { kind: 'search', beams } as const;
  return { sampling, acting: temperature === null ? sampling : { kind: 'sample', temperature, topP: 1 } };
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

function checkTogether({ phase, start, dataset, samples }: TrainConfig): void {
  if (dataset !== null && samples.agreed === 'random')
    throw new EmacError(
      'usage',
      '--agreed random: draws among the commands of a game, but --data holds none; give drop or keep',
    );
  if (learnsPairs(phase) && start.ref === null)
    throw new EmacError(
      'usage',
      `--phase ${phase}: needs a policy to start from; give --ref with the run of --phase bc`,
    );
  if (!learnsPairs(phase) && start.ref !== null)
    throw new EmacError(
      'usage',
      `--ref: is for methods that learn from pairs, such as dpo, got --phase ${phase}; give --init to start from another policy`,
    );
  if (start.projection === 'linear' && start.hidden !== null)
    throw new EmacError('usage', '--projection-hidden: belongs to --projection mlp or mlp3');
}
