/**
 * Evaluations of a PPO run, before and after training, on held-out seeds (odd; training seeds are even). A run's
 * interrupted evaluation restarts, with the same bytes; one of `emac eval` resumes (`kept-evaluation.ts`).
 */
import { EmacError, type Random, type Sampling, type Seed } from '@emac/core';
import {
  countedStarts,
  isDescribedElsewhere,
  isWorded,
  playedEnvironment,
  seedOfTask,
  taskOfSeed,
  tasksIn,
  wordedEpisodes,
  type CountedStart,
  type Host,
  type PpoPolicy,
  type StepAction,
} from '@emac/opening';
import {
  heldOutSeed,
  isSuccess,
  scoreEpisodes,
  summarize,
  type EpisodeWatcher,
  type EvaluatedGame,
  type EvaluationResult,
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
) => Promise<ReadonlyMap<number, ScoredEpisode>>;

export interface PpoScoring {
  readonly config: PpoConfig;
  readonly policy: Pick<PpoPolicy, 'actorCritic' | 'texts' | 'evaluatedAtOnce' | 'opened' | 'numbered'>;
  /** the same before training and after it: then both play the same episodes */
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

/** Number of held-out starts if they are numbered; null if episodes are drawn. */
export function heldOutEpisodes(env: string): number | null {
  return isOfHere(env) ? (countedStarts(env, 'heldOut')?.length ?? null) : null;
}

/** Whether this program knows the starts: not those of words, nor what only clients know. */
function isOfHere(env: string): boolean {
  return !isWorded(env) && !isDescribedElsewhere(env);
}

/** The noun for an environment's held-out episodes. */
export function heldOutNoun(env: string): 'tasks' | 'seeds' | 'initial states' {
  if (isWorded(env)) return 'tasks';
  return heldOutEpisodes(env) === null ? 'seeds' : 'initial states';
}

/**
 * All held-out starts if numbered, as many as requested; null if episodes are drawn. Errors: `usage` for more than
 * there are.
 */
function heldOutStarts({ env, evaluation: { episodes } }: PpoConfig): readonly CountedStart[] | null {
  const starts = isOfHere(env) ? countedStarts(env, 'heldOut') : null;
  if (starts === null || episodes <= starts.length) return starts;
  throw new EmacError(
    'usage',
    `evaluation: ${env} has ${starts.length} held-out initial states, got ${episodes} episodes; ask for fewer`,
  );
}

/** Of tasks that are separate environments, in turn; null without such tasks. */
function taskEpisodes(config: PpoConfig, random: Random): readonly CountedStart[] | null {
  const tasks = tasksIn(config);
  if (tasks === null) return null;
  return Array.from({ length: config.evaluation.episodes }, (_, number) => {
    const task = number % tasks.length;
    const seed = seedOfTask(heldOutSeed(random, number), task, tasks.length);
    const own = taskOfSeed(seed, tasks.length).seed;
    return { seed, id: `${tasks[task]}/${own}`, task: tasks[task]! };
  });
}

/**
 * Evaluation episodes by number, unless they are drawn seeds of one environment; null then. Errors: `usage` for more
 * than there are.
 */
export function listedEpisodes(
  config: PpoConfig,
  random: Random,
  { opened }: Pick<PpoPolicy, 'opened'>,
): readonly CountedStart[] | null {
  if (opened) return wordedEpisodes(opened, config.evaluation.episodes, random);
  return heldOutStarts(config) ?? taskEpisodes(config, random);
}

/**
 * A check before anything is opened. Errors: `usage` for more episodes than there are, and for several attempts without
 * sampled answers.
 */
export function requireEpisodes(config: PpoConfig): void {
  heldOutStarts(config);
  const { attempts = 1, temperature } = config.evaluation;
  if (attempts > 1 && temperature === 0)
    throw new EmacError(
      'usage',
      `evaluation: greedy answers make ${attempts} attempts at an episode alike; give a temperature above 0, or one attempt`,
    );
}

/** Episodes that an evaluation plays: all first attempts, then all second ones, and so on. */
export function playedEpisodes({ episodes, attempts = 1 }: PpoConfig['evaluation']): number {
  return episodes * attempts;
}

/** Seeds of played episodes if they are listed or come again; null if each is drawn once. */
export function seedsOf(
  { evaluation: { episodes, attempts = 1 } }: PpoConfig,
  random: Random,
  starts: readonly CountedStart[] | null,
): ((number: number) => Seed) | null {
  if (starts) return (number) => starts[number % episodes]!.seed;
  return attempts === 1 ? null : (number) => heldOutSeed(random, number % episodes);
}

/** Plays the held-out episodes; null for none. */
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
  const { env, evaluation } = config;
  const { episodes: different, attempts = 1 } = evaluation;
  const count = playedEpisodes(evaluation);
  if (count === 0) return null;
  const starts = listedEpisodes(config, random, policy);
  const seedOf = seedsOf(config, random, starts);
  const atOnce = Math.min(policy.evaluatedAtOnce, count);
  const ended = (episode: number, scored: ScoredEpisode): void => {
    told?.(episode, scored);
    host.listener?.advance?.();
  };
  const known = elsewhere ? await allOf(count, { before, elsewhere, ended }) : before;
  const { episodes, meanReturn, standardError } = await scoreEpisodes({
    policy: policy.actorCritic,
    environments: Array.from({ length: atOnce }, () => playedEnvironment(config, policy, 'heldOut')),
    texts: policy.texts,
    sampling: samplingOf(evaluation),
    episodes: count,
    random,
    ...(seedOf && { seedOf }),
    ...(known && { known }),
    ended,
    ...(watch && { watch }),
    ...(host.signal && { signal: host.signal }),
  });
  const ofEpisode = (start: number, attempt: number): EvaluatedEpisode => {
    const episode = episodes[attempt * different + start]!;
    return {
      id: starts?.[start]!.id ?? `${env}/${heldOutSeed(random, start)}`,
      type: starts?.[start]!.task ?? env,
      won: isSuccess(episode),
      steps: episode.steps,
      seen_in_training: false,
      ...(attempts > 1 && { attempt: attempt + 1 }),
      return: episode.return,
      fallbacks: episode.fallbacks,
    };
  };
  const byStart = Array.from({ length: different }, (_, start) =>
    Array.from({ length: attempts }, (_, attempt) => ofEpisode(start, attempt)),
  );
  const games = byStart.flat();
  return {
    v: 1,
    checkpoint,
    games,
    ...summarize(games),
    seen: summarize([]),
    mean_return: meanReturn,
    standard_error: attempts === 1 ? standardError : errorBetween(byStart),
  };
}

/** Standard error of the mean return, from the means of each start's attempts; 0 for one start. */
export function errorBetween(byStart: readonly (readonly EvaluatedEpisode[])[]): number {
  const { length } = byStart;
  if (length === 1) return 0;
  const means = byStart.map((games) => games.reduce((sum, game) => sum + game.return, 0) / games.length);
  const mean = means.reduce((sum, each) => sum + each, 0) / length;
  const squares = means.reduce((sum, each) => sum + (each - mean) ** 2, 0);
  return Math.sqrt(squares / (length - 1) / length);
}

/** Combines known episodes with those from workers. */
async function allOf(
  episodes: number,
  {
    before,
    elsewhere,
    ended,
  }: {
    readonly before: ReadonlyMap<number, ScoredEpisode> | undefined;
    readonly elsewhere: ScoresElsewhere;
    readonly ended: (episode: number, scored: ScoredEpisode) => void;
  },
): Promise<ReadonlyMap<number, ScoredEpisode>> {
  const numbers = Array.from({ length: episodes }, (_, number) => number);
  const left = numbers.filter((number) => !before?.has(number));
  return new Map([...(before ?? []), ...(await elsewhere(left, ended))]);
}

/** Sampling of the answers. */
export function samplingOf({ temperature }: PpoConfig['evaluation']): Sampling {
  return temperature === 0 ? { kind: 'search', beams: 1 } : { kind: 'sample', temperature, topP: 1 };
}
