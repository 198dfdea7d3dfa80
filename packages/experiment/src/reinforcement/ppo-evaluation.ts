/** Evaluations of a PPO run, before and after training and by `emac eval`, on the environment's first held-out tasks. */
import { basename } from 'node:path';
import { EmacError, type Random, type Sampling, type Seed, type Task } from '@emac/core';
import {
  localWorld,
  playedEnvironment,
  tasksIn,
  warn,
  type Host,
  type PpoPolicy,
  type StepAction,
} from '@emac/opening';
import {
  evaluationResult,
  firstTasks,
  heldOutSeed,
  isSuccess,
  scoreEpisodes,
  type EpisodeWatcher,
  type EvaluatedGame,
  type EvaluationResult,
  type LostGame,
  type ScoredEpisode,
} from '@emac/rollout';
import type { PpoConfig } from '@emac/settings';

/** An episode: `won` is its success (`isSuccess`); `steps` is its length. */
export interface EvaluatedEpisode extends EvaluatedGame {
  readonly return: number;
  /** steps with a random action because the answer named none */
  readonly fallbacks: number;
}

/** `eval.json` of a run of PPO: as other runs have it, with returns. */
export interface PpoEvaluation extends EvaluationResult {
  readonly games: readonly EvaluatedEpisode[];
  readonly mean_return: number;
  /** of the mean return */
  readonly standard_error: number;
}

/** Plays episodes on workers, and reports each score on arrival. */
export type ScoresElsewhere = (
  numbers: readonly number[],
  ended: (episode: number, scored: ScoredEpisode) => void,
) => Promise<unknown>;

export interface PpoScoring {
  readonly config: PpoConfig;
  readonly policy: Pick<PpoPolicy, 'actorCritic' | 'texts' | 'evaluatedAtOnce' | 'opened' | 'numbered'>;
  /** of sampled answers: the same before training and after it */
  readonly random: Random;
  /** checkpoint name in the result */
  readonly checkpoint: string;
  readonly watch?: EpisodeWatcher<StepAction>;
  /** episodes that were over before an interruption, by number */
  readonly known?: ReadonlyMap<number, ScoredEpisode>;
  /** called at each episode's end, after the watcher */
  readonly ended?: (episode: number, scored: ScoredEpisode) => void;
  /** plays episodes on workers, by number; absent: here. Workers have no watchers */
  readonly elsewhere?: ScoresElsewhere;
  /** gets progress, and may stop the evaluation */
  readonly host: Pick<Host, 'listener' | 'signal'>;
}

/** The first held-out tasks, as many as are asked for and there are: of several environments in turn. */
export function evaluatedTasks(
  config: PpoConfig,
  { opened, numbered }: Pick<PpoPolicy, 'opened' | 'numbered'>,
): readonly Task[] {
  const { env, evaluation } = config;
  const remote = opened ?? numbered;
  const sources = remote ? [remote.tasks] : (tasksIn(config) ?? [env]).map((id) => localWorld(id).tasks);
  const turns = Math.ceil(evaluation.episodes / sources.length);
  const lists = sources.map(({ heldOut }) => firstTasks(heldOut, turns));
  const inTurn = Array.from({ length: turns }, (_, turn) => lists.flatMap((tasks) => tasks[turn] ?? []));
  return inTurn.flat().slice(0, evaluation.episodes);
}

/** A check before anything is opened. Errors: `usage` for several attempts without sampled answers. */
export function requireEpisodes({ evaluation: { attempts = 1, temperature } }: PpoConfig): void {
  if (attempts > 1 && temperature === 0)
    throw new EmacError(
      'usage',
      `evaluation: greedy answers make ${attempts} attempts at an episode alike; give a temperature above 0, or one attempt`,
    );
}

/** Seeds of played episodes, all first attempts before the second ones: numbered starts begin by their number. */
export function seedsOf(
  config: PpoConfig,
  policy: Pick<PpoPolicy, 'opened' | 'numbered'>,
): (number: number) => Seed {
  const { length } = evaluatedTasks(config, policy);
  const isCounted = !policy.opened && !policy.numbered && localWorld(config.env).tasks.heldOut.count !== null;
  return (number) => (isCounted ? number % length : heldOutSeed(number % length));
}

/** Plays the held-out tasks; null for none. A lost episode is reported, and in no count. */
export async function evaluatePpo({
  config,
  policy,
  random,
  checkpoint,
  watch,
  known: before,
  ended: told,
  elsewhere,
  host,
}: PpoScoring): Promise<PpoEvaluation | null> {
  const { env, seed, evaluation } = config;
  const { attempts = 1 } = evaluation;
  const tasks = evaluatedTasks(config, policy);
  const count = tasks.length * attempts;
  if (count === 0) return null;
  const scores = new Map(before);
  const ended = (episode: number, scored: ScoredEpisode): void => {
    scores.set(episode, scored);
    told?.(episode, scored);
    host.listener?.advance?.();
  };
  const lost: LostGame[] = [];
  const sampling = samplingOf(evaluation);
  if (elsewhere) {
    const left = Array.from({ length: count }, (_, number) => number).filter((number) => !scores.has(number));
    await elsewhere(left, ended);
  }
  await scoreEpisodes({
    policy: policy.actorCritic,
    environments: Array.from({ length: Math.min(policy.evaluatedAtOnce, count) }, () =>
      playedEnvironment(config, policy, 'heldOut'),
    ),
    texts: policy.texts,
    sampling,
    episodes: count,
    random,
    seedOf: seedsOf(config, policy),
    known: new Map(scores),
    ended,
    lost: (episode, fault) => {
      const { id } = tasks[episode % tasks.length]!;
      lost.push({ id, fault });
      warn(host.listener, `${id}: lost: ${fault}`);
      host.listener?.advance?.();
    },
    ...(watch && { watch }),
    ...(host.signal && { signal: host.signal }),
  });
  const games = gamesOf({ env, tasks, attempts }, scores);
  return evaluationResult(games, {
    checkpoint,
    env,
    policy: basename(config.policy),
    sampling,
    seed,
    lost,
  }) as PpoEvaluation;
}

interface Played {
  readonly env: string;
  readonly tasks: readonly Task[];
  readonly attempts: number;
}

/** Of `scores` by number, all first attempts before the second ones; without lost ones. */
function gamesOf(
  { env, tasks, attempts }: Played,
  scores: ReadonlyMap<number, ScoredEpisode>,
): EvaluatedEpisode[] {
  return tasks.flatMap(({ id, type }, task) =>
    Array.from({ length: attempts }, (_, attempt) => {
      const score = scores.get(attempt * tasks.length + task);
      if (!score) return [];
      const { return: sum, steps, fallbacks } = score;
      const won = isSuccess(score);
      const again = attempts > 1 && { attempt: attempt + 1 };
      return { id, type: type ?? env, won, steps, seen_in_training: false, ...again, return: sum, fallbacks };
    }).flat(),
  );
}

/** Sampling of the answers. */
export function samplingOf({ temperature }: Pick<PpoConfig['evaluation'], 'temperature'>): Sampling {
  return temperature === 0 ? { kind: 'search', beams: 1 } : { kind: 'sample', temperature, topP: 1 };
}
