/** Evaluations of a PPO run, before and after training and by `emac eval`, on the environment's first held-out tasks. */
import { basename } from 'node:path';
import type { Sampling, Seed, Task } from '@emac/core';
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
  type AskedPlayer,
  type AskedPolicy,
  type EpisodesToScore,
  type EvaluatedGame,
  type EvaluationResult,
  type EvaluationSubject,
  type LostGame,
  type ScoredEpisode,
} from '@emac/rollout';
import type { PpoConfig } from '@emac/settings';
import type { OverEpisode, PlayJournal } from '../evaluation/journal.ts';

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

/** Held-out tasks, and who plays them how. */
export type StepsEvaluation = StepsToEvaluate & (AskedPolicy<StepAction> | AskedPlayer<StepAction>);

interface StepsToEvaluate
  extends
    Omit<EvaluationSubject, 'policy'>,
    Pick<EpisodesToScore<StepAction>, 'environments' | 'random' | 'randomOf' | 'seedOf' | 'watch'> {
  /** of the policy, in the result */
  readonly name: string;
  /** of the checkpoint */
  readonly checkpoint: string;
  readonly tasks: readonly Task[];
  /** at each task, all first attempts before the second ones */
  readonly attempts: number;
  /** null if interrupted evaluations are not kept */
  readonly journal: PlayJournal<OverEpisode> | null;
  /** plays episodes on workers, by number; absent: here. Workers have no watchers */
  readonly elsewhere?: ScoresElsewhere | undefined;
  /** gets progress, and may stop the evaluation */
  readonly host: Pick<Host, 'listener' | 'signal'>;
}

export interface PpoScoring extends Pick<
  StepsToEvaluate,
  'random' | 'checkpoint' | 'watch' | 'journal' | 'elsewhere' | 'host'
> {
  readonly config: PpoConfig;
  readonly policy: Pick<PpoPolicy, 'actorCritic' | 'texts' | 'evaluatedAtOnce' | 'opened' | 'numbered'>;
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
export async function evaluatePpo({ config, policy, ...play }: PpoScoring): Promise<PpoEvaluation | null> {
  const { env, seed, evaluation } = config;
  const { attempts = 1 } = evaluation;
  const tasks = evaluatedTasks(config, policy);
  const count = tasks.length * attempts;
  if (count === 0) return null;
  return evaluateSteps({
    ...play,
    env,
    policy: policy.actorCritic,
    name: basename(config.policy),
    texts: policy.texts,
    sampling: samplingOf(evaluation),
    seed,
    tasks,
    attempts,
    environments: Array.from({ length: Math.min(policy.evaluatedAtOnce, count) }, () =>
      playedEnvironment(config, policy, 'heldOut'),
    ),
    seedOf: seedsOf(config, policy),
  });
}

/** Plays every task as often as asked. A lost episode is reported, and in no count. */
export async function evaluateSteps(evaluation: StepsEvaluation): Promise<PpoEvaluation> {
  const { env, name, sampling, seed, checkpoint, tasks, attempts, journal, elsewhere, host } = evaluation;
  const scores = new Map(
    [...(journal?.known.values() ?? [])].map(({ episode, scored }) => [episode, scored]),
  );
  const taskOf = (episode: number) => tasks[episode % tasks.length]!;
  const ended = (episode: number, scored: ScoredEpisode): void => {
    scores.set(episode, scored);
    journal?.add({ episode, scored });
    host.listener?.advance?.(taskOf(episode).id);
  };
  const episodes = tasks.length * attempts;
  const numbers = Array.from({ length: episodes }, (_, number) => number);
  await elsewhere?.(
    numbers.filter((number) => !scores.has(number)),
    ended,
  );
  const lost: LostGame[] = [];
  await scoreEpisodes({
    ...evaluation,
    episodes,
    known: new Map(scores),
    ended,
    lost: (episode, fault) => {
      const { id } = taskOf(episode);
      lost.push({ id, fault });
      warn(host.listener, `${id}: lost: ${fault}`);
      host.listener?.advance?.();
    },
    ...(host.signal && { signal: host.signal }),
  });
  const games = gamesOf({ env, tasks, attempts }, scores);
  return evaluationResult(games, { checkpoint, env, policy: name, sampling, seed, lost }) as PpoEvaluation;
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

/** Adds the keys of RL4VLM's code for the same values. */
export function withPublishedNames(result: PpoEvaluation): object {
  const returns = result.games.map((game) => game.return).sort((a, b) => a - b);
  const middle = (returns.length - 1) / 2;
  return {
    ...result,
    'episode_reward.mean': result.mean_return,
    'episode_reward.median': (returns[Math.floor(middle)]! + returns[Math.ceil(middle)]!) / 2,
    'episode_reward.min': returns[0],
    'episode_reward.max': returns.at(-1),
    'episode_success_rate.mean': result.success,
  };
}
