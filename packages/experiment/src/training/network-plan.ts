/** The plan of a small network that learns from labels in an environment whose arrays or pictures it reads. */
import { checkSettings } from '@emac/algorithms';
import { EmacError, invariant, Random, type OpenedKind } from '@emac/core';
import {
  openTeacher,
  openTrained,
  openWordedNetwork,
  shortage,
  steppedIn,
  type WordedNetwork,
} from '@emac/opening';
import { loadCheckpoint, resolveCheckpoint } from '@emac/runs';
import { isEnvironmentModule, requireFittingTraining, type TrainConfig } from '@emac/settings';
import { referenceFolder } from '../checkpoint/reference-folder.ts';
import { evaluationPlay } from '../evaluation/evaluated-play.ts';
import { refuseNetworkWorkers } from '../networks/fitting-network.ts';
import { actionNames, frameSizeOf, networkForm } from '../networks/network-form.ts';
import { checkTogether, isOwnStart, methodOf } from './asked-training.ts';
import { requireFittingNetwork } from './fitting-network.ts';
import { gamesFrom, wonBefore } from './game-draw.ts';
import type { Planning, TrainingPlan } from './plan.ts';
import { plannedPolicy, plannedReference, samplingsOf, type OpenedReference } from './planned-policy.ts';
import { settingsOf } from './resolved.ts';

/** episodes under way at once: a network answers many in the time of one */
const together = 64;

/** Errors: as `planTraining`'s. */
export async function planNetwork(asked: TrainConfig, planning: Planning): Promise<TrainingPlan> {
  checkTogether(asked);
  requireFittingTraining(asked);
  requireFittingNetwork(asked);
  const { host, continued, open } = planning;
  refuseNetworkWorkers(host);
  const method = methodOf(asked, host);
  const random = Random.fromSeed(asked.seed);
  const opened = await openNetworks(asked, random.stream('network'), planning);
  const { kind, ref, network, referee } = opened;
  const config = inUse(asked, kind);
  const settings = settingsOf(config);
  checkSettings(settings);
  const draw = { before: null, random: random.stream('games') };
  const { play } = await gamesFrom({ list: null, world: null, kind }, { asked, continued, host, draw });
  const teacher = await openTeacher(config.expert, host, {
    random: random.stream('retries'),
    games: [],
    kind,
  });
  open.add(() => teacher.dispose());
  const evaluated = evaluationPlay(config.evaluation, kind);
  const solvedBefore = wonBefore(asked, ref, continued?.point ?? null);
  const ids = () => play.tasks().map(({ id }) => id);
  const trainedOn = () => [...new Set([...opened.earlier, ...ids()])].sort();
  const beside = { trainedOn, solvedBefore };
  return {
    ...plannedPolicy(network, beside),
    texts: actionNames,
    form: networkForm({ env: config.env, policy: config.model.path }, kind),
    reference: referee && plannedReference(keptReference(referee), beside),
    before: (isOwnStart(config) ? null : referee?.learner) ?? network.learner,
    versions: { ...kind.versions, model: network.identity },
    computing: null,
    language: null,
    config,
    settings,
    method,
    methodCode: host.method?.sha256 ?? null,
    ...samplingsOf(1, config),
    teacher,
    offline: null,
    play,
    trainedOn,
    solvedBefore,
    evaluated,
    kind,
    environmentCode: host.environment?.sha256 ?? null,
    random,
    parallelEvaluation: config.evaluation.parallelEpisodes ?? together,
    parallelTraining: config.play.parallelEpisodes ?? together,
    memories: [],
    notes: [
      ...teacher.notes,
      shortage('--games-per-round', play.tasks().length, config.play.gamesPerRound),
      shortage('--eval-games', evaluated.tasks().length, config.evaluation.games),
    ].filter((each) => each !== null),
    leftOutTexts: () => [],
    dispose: () => open.close(),
  };
}

interface OpenNetworks {
  readonly kind: OpenedKind;
  readonly network: WordedNetwork;
  /** dpo: the policy to start from, which stays as it is; null for methods without one */
  readonly referee: WordedNetwork | null;
  /** where it lies; null without one */
  readonly ref: string | null;
  /** tasks that earlier phases trained on */
  readonly earlier: readonly string[];
}

async function openNetworks(
  { env, seed, model: { path: policy }, play, start }: TrainConfig,
  random: Random,
  { host, continued, open }: Planning,
): Promise<OpenNetworks> {
  const named = { env, policy };
  const asks = { env, seed, maxSteps: play.maxSteps, frameSize: frameSizeOf(named) };
  const kind = await openTrained(asks, host.environment ?? null);
  invariant(kind, 'planNetwork: ALFWorld has no numbers to read');
  open.add(() => kind.close?.());
  const typed = {
    environment: { env: kind.id, policy: continued?.policy ?? policy, play: { maxSteps: kind.maxSteps } },
  };
  const openFrom = async (from: string | null): Promise<WordedNetwork> => {
    const network = await openWordedNetwork({ ...named, maxSteps: kind.maxSteps }, kind, { random, from });
    open.add(() => network.dispose());
    return { ...network, stored: typed };
  };
  const ref = start.ref !== null && continued ? referenceFolder(continued.folder) : start.ref;
  const from = continued?.point?.folder ?? (start.init === 'random' ? null : (start.init ?? ref));
  if (ref !== null) requireTrainedIn(ref, kind);
  return {
    kind,
    network: await openFrom(from),
    referee: ref === null ? null : await openFrom(ref),
    ref,
    earlier: [from, ref].flatMap((each) => (each === null ? [] : storedGames(each))),
  };
}

function storedGames(policy: string): readonly string[] {
  return loadCheckpoint(resolveCheckpoint(policy).folder).manifest.games;
}

/** Errors: `usage` if the reference was trained in another environment. */
function requireTrainedIn(ref: string, { id }: OpenedKind): void {
  const before = steppedIn(ref);
  if (before !== null && before !== id)
    throw new EmacError(
      'usage',
      `--ref ${ref}: was trained in ${before}, got --env ${id}; give --env ${before}`,
    );
}

/** The reference as it is kept. */
function keptReference({ learner, content, identity, stored }: WordedNetwork): OpenedReference {
  const { tensors, files } = content().beside![0]!;
  return { policy: learner, tensors, files: () => files, identity, stored };
}

/** The settings with all values in use. */
function inUse(config: TrainConfig, kind: OpenedKind): TrainConfig {
  const { init, ref } = config.start;
  return {
    ...config,
    // a module keeps its path, needed on the next call
    env: isEnvironmentModule(config.env) ? config.env : kind.id,
    start: { ...config.start, init: init ?? ref ?? 'random' },
    play: { ...config.play, maxSteps: config.play.maxSteps ?? kind.maxSteps },
    probe: config.probe ?? config.expert.kind !== 'openai',
  };
}
