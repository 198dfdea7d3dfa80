/**
 * Opens and checks everything that a training run needs before its folder is made: bad input leaves nothing behind. Only
 * the pictures of a dataset are decoded later, each when it is first read.
 */
import { checkSettings, learnsPairs } from '@emac/algorithms';
import { Random } from '@emac/core';
import { fittingSets, leftOutTexts, openOfflineSets, type FittingSets } from '@emac/datasets';
import {
  kindPlay,
  openedBy,
  openTeacher,
  requirePlayable,
  shortage,
  type Host,
  type LanguagePolicy,
} from '@emac/opening';
import { smallNetworkOf, type TrainConfig } from '@emac/settings';
import { requireForWorkers } from '@emac/workers';
import { referenceFolder } from '../checkpoint/reference-folder.ts';
import { heldOutPlay } from '../evaluation/evaluated-play.ts';
import { refuseNetworkWorkers, requireHere, requireReadable } from '../networks/fitting-network.ts';
import { checkTogether, isOwnStart, methodOf } from './asked-training.ts';
import { gamesFrom, sourceOf, wonBefore } from './game-draw.ts';
import { modelStart } from './model-plan.ts';
import { networkStart } from './network-plan.ts';
import type { Continued, Planning, PolicyInUse, TrainingPlan } from './plan.ts';
import { plannedPolicy, plannedReference } from './planned-policy.ts';
import { settingsOf } from './resolved.ts';
import { carriedMemories, playedBefore } from './start.ts';

/** Errors: `usage`, `missing`, `data`, `auth`, `unavailable`. */
export function planTraining(asked: TrainConfig, host: Host, continued?: Continued): Promise<TrainingPlan> {
  return openedBy((open) => planned(asked, { host, continued, open }));
}

async function planned(asked: TrainConfig, planning: Planning): Promise<TrainingPlan> {
  const { host, continued, open } = planning;
  const { seed } = asked;
  const isNetwork = smallNetworkOf(asked) !== null;
  requireFitting(asked, isNetwork, host);
  const method = methodOf(asked, host);
  const random = Random.fromSeed(seed);
  const sets = openOfflineSets(asked);
  open.add(() => sets?.close());
  const source = await sourceOf(asked, host);
  const { kind } = source;
  open.add(() => kind.close?.());
  const ref = asked.start.ref !== null && continued ? referenceFolder(continued.folder) : asked.start.ref;
  const solvedBefore = wonBefore(asked, ref, continued?.point ?? null);
  const start = await (isNetwork ? networkStart : modelStart)(asked, { ...planning, kind, ref, random });
  const before = ref === null ? null : playedBefore(ref, { seen: start.seen, solved: solvedBefore });
  const drawing = { asked, continued, host, before, random: random.stream('games') };
  const drawn = sets === null ? await gamesFrom(source, drawing) : null;
  const play = drawn?.play ?? kindPlay(kind, []);
  const config = start.resolved(play);
  if (config.speech.observe !== 'text') sets?.requirePictures();
  const settings = settingsOf(config);
  checkSettings(settings);
  const teacher = await openTeacher(config.expert, host, { random: random.stream('retries'), kind });
  open.add(() => teacher.dispose());
  const memories = isNetwork ? [] : carriedMemories(config, ref);
  const { policy, reference, speech, notes, together, ...opened } = await start.open(config, memories);
  const { learner } = policy;
  const offline = sets && (await fitting(sets, config, { speech, language: opened.language! }));
  const leftOut = () => (offline ? leftOutTexts(offline.leftOut, offline.lengths) : []);
  const evaluated = heldOutPlay(kind, config.evaluation.episodes);
  const earlier = [...start.earlier, ...(offline?.data.games ?? [])];
  const trainedOn = () => [...new Set([...earlier, ...play.tasks().map(({ id }) => id)])].sort();
  const beside = { trainedOn, solvedBefore };
  const { sampleTemperature: temperature, parallelEpisodes, gamesPerRound } = config.play;
  const sampling = { kind: 'search', beams: speech.generation.beams } as const;
  return {
    ...plannedPolicy(policy, beside),
    ...opened,
    reference: reference && plannedReference(reference, beside),
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
    ...beside,
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
      shortage('--eval-games', evaluated.tasks().length, config.evaluation.episodes),
    ].filter((each) => each !== null),
    leftOutTexts: leftOut,
    dispose: () => open.close(),
  };
}

/** The records that fit a model, as no small network learns from a dataset. */
function fitting(
  sets: NonNullable<ReturnType<typeof openOfflineSets>>,
  { phase, dataset }: TrainConfig,
  { speech, language }: Pick<PolicyInUse, 'speech'> & { readonly language: LanguagePolicy },
): Promise<FittingSets> {
  const lengths = { policy: language.student, ...speech, pairs: learnsPairs(phase) };
  return fittingSets(sets, { ...lengths, skip: dataset!.skipBadRecords });
}

/** Before anything is opened. Errors: `usage`. */
function requireFitting(asked: TrainConfig, isNetwork: boolean, host: Host): void {
  checkTogether(asked);
  requireReadable(asked.env, asked.policy);
  requireHere(asked.world, asked.policy, asked.phase);
  if (isNetwork) return refuseNetworkWorkers(host);
  requirePlayable(asked);
  if (host.workers) requireForWorkers(asked);
}
