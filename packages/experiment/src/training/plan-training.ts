/**
 * Opens and checks everything that a training run needs before its folder is made: bad input leaves nothing behind. Only
 * the pictures of a dataset are decoded later, each when it is first read.
 */
import { checkSettings, learnsPairs } from '@emac/algorithms';
import { EmacError, Random, type OpenedKind } from '@emac/core';
import { fittingSets, leftOutTexts, openOfflineSets, type FittingSets } from '@emac/datasets';
import {
  checkpointContent,
  checkpointForm,
  kindPlay,
  openedBy,
  openTeacher,
  requireEpisodesHere,
  requirePlayable,
  shortage,
  type EpisodePolicy,
  type Host,
} from '@emac/opening';
import { usualEnvironment, type TrainConfig } from '@emac/settings';
import { requireForWorkers } from '@emac/workers';
import { referenceFolder } from '../checkpoint/reference-folder.ts';
import { heldOutPlay } from '../evaluation/evaluated-play.ts';
import { checkTogether, isOwnStart, methodOf } from './asked-training.ts';
import { gamesFrom, sourceOf, wonBefore } from './game-draw.ts';
import type { Continued, Planning, TrainingPlan } from './plan.ts';
import { settingsInUse, settingsOf } from './resolved.ts';
import { playedBefore } from './start.ts';
import { startPolicy } from './started-policy.ts';

/** Errors: `usage`, `missing`, `data`, `auth`, `unavailable`. */
export function planTraining(asked: TrainConfig, host: Host, continued?: Continued): Promise<TrainingPlan> {
  return openedBy((open) => planned(asked, { host, continued, open }));
}

async function planned(asked: TrainConfig, planning: Planning): Promise<TrainingPlan> {
  const { host, continued, open } = planning;
  const { seed } = asked;
  requireFitting(asked, host);
  const method = methodOf(asked, host);
  const random = Random.fromSeed(seed);
  const sets = openOfflineSets(asked);
  open.add(() => sets?.close());
  const source = await sourceOf(asked, host);
  const { kind } = source;
  open.add(() => kind.close?.());
  const ref = asked.start.ref !== null && continued ? referenceFolder(continued.folder) : asked.start.ref;
  const solvedBefore = wonBefore(asked, ref, continued?.point ?? null);
  if (ref !== null) requireTrainedIn(ref, kind);
  const { init } = asked;
  const from = continued?.point?.folder ?? (init === 'random' ? null : (init ?? ref));
  const started = await startPolicy(asked, { ...planning, kind, ref, from, random });
  const { policy, reference, memories, notes, ...opened } = started;
  const seen = storedGames(ref);
  const before = ref === null ? null : playedBefore(ref, { seen, solved: solvedBefore });
  const drawing = { asked, continued, host, before, random: random.stream('games') };
  const drawn = sets === null ? await gamesFrom(source, drawing) : null;
  const play = drawn?.play ?? kindPlay(kind, []);
  const config = settingsInUse(started.config, { play, kind });
  if (config.speech.observe !== 'text') sets?.requirePictures(policy.language!.student.needsPicture);
  const settings = settingsOf(config);
  checkSettings(settings);
  const teacher = await openTeacher(config.expert, host, { random: random.stream('retries'), kind });
  open.add(() => teacher.dispose());
  const { learner, form, together } = policy;
  const offline = sets && (await fitting(sets, config, { ...policy, signal: host.signal }));
  const leftOut = () => (offline ? leftOutTexts(offline.leftOut, offline.lengths) : []);
  const evaluated = heldOutPlay(kind, config.evaluation.episodes);
  const earlier = [...storedGames(from), ...seen, ...(offline?.data.games ?? [])];
  const trainedOn = () => [...new Set([...earlier, ...play.tasks().map(({ id }) => id)])].sort();
  const { sampleTemperature: temperature, parallelEpisodes, gamesPerRound } = config.play;
  const sampling = { kind: 'search', beams: form.generation.beams } as const;
  return {
    ...opened,
    policy,
    student: learner,
    form,
    content: (step, { state, optimizer }, replies) =>
      checkpointContent(policy, {
        step,
        state,
        optimizer: { tensors: optimizer.tensors, steps: { step: optimizer.step } },
        games: trainedOn(),
        beside: { solvedBefore, replies },
      }),
    reference,
    before: (isOwnStart(config) ? null : reference?.policy) ?? learner,
    config,
    settings,
    method,
    methodCode: host.method?.sha256 ?? null,
    sampling,
    acting: temperature === null ? sampling : { kind: 'sample', temperature, topP: 1 },
    teacher,
    offline,
    play,
    trainedOn,
    solvedBefore,
    evaluated,
    kind,
    environmentCode: host.environment?.sha256 ?? null,
    random,
    parallelEvaluation: config.evaluation.parallelEpisodes ?? together,
    parallelTraining: parallelEpisodes ?? together,
    memories,
    notes: [
      play.kind?.tasks.training.list?.leftOut ?? null,
      drawn?.said ?? null,
      policy.note,
      offline?.note ?? null,
      ...leftOut(),
      ...notes,
      ...teacher.notes,
      drawn && play.arriving === null
        ? shortage('--games-per-round', play.tasks().length, gamesPerRound)
        : null,
      shortage('--eval-episodes', evaluated.tasks().length, config.evaluation.episodes),
    ].filter((each) => each !== null),
    leftOutTexts: leftOut,
    dispose: () => open.close(),
  };
}

/** The records that fit a model, as no small network learns from a dataset. */
function fitting(
  sets: NonNullable<ReturnType<typeof openOfflineSets>>,
  { phase, dataset }: TrainConfig,
  { form, language, signal }: EpisodePolicy & { readonly signal?: AbortSignal | undefined },
): Promise<FittingSets> {
  const lengths = { policy: language!.student, ...form, pairs: learnsPairs(phase), signal };
  return fittingSets(sets, { ...lengths, skip: dataset!.skipBadRecords });
}

/** Names of the episodes that a policy was trained on. */
function storedGames(policy: string | null): readonly string[] {
  return (policy === null || policy === 'model' ? null : checkpointForm(policy))?.games ?? [];
}

/** Errors: `usage` if the reference was trained in another environment. */
function requireTrainedIn(ref: string, { id }: OpenedKind): void {
  const form = checkpointForm(ref);
  const before = form && (form.env ?? usualEnvironment);
  if (before !== null && before !== id)
    throw new EmacError(
      'usage',
      `--ref ${ref}: was trained in ${before}, got --env ${id}; give --env ${before}`,
    );
}

/** Before anything is opened. Errors: `usage`. */
function requireFitting(asked: TrainConfig, host: Host): void {
  checkTogether(asked);
  requireEpisodesHere(asked, asked.phase, host);
  requirePlayable(asked);
  if (host.workers) requireForWorkers(asked);
}
