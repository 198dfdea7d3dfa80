/** Evaluations of a PPO run, before and after training and by `emac eval`, on the environment's first held-out tasks. */
import { basename } from 'node:path';
import type { Seed, Task } from '@emac/core';
import { localWorld, playedEnvironment, tasksIn, type Host, type PpoPolicy } from '@emac/opening';
import { firstTasks, heldOutSeed, type EvaluatedGame, type EvaluationResult } from '@emac/rollout';
import type { PpoConfig } from '@emac/settings';
import type { EvaluationTraces } from '../logs/evaluation-traces.ts';
import { evaluateTasks, samplingOf, type TasksEvaluation } from '../evaluation/evaluate-tasks.ts';
import { playInSteps, type PlayedInSteps } from '../evaluation/play-in-steps.ts';

/** `eval.json` of episodes step by step: as others have it, and always with returns. */
export interface PpoEvaluation extends EvaluationResult {
  readonly games: readonly (EvaluatedGame & Required<Pick<EvaluatedGame, 'return' | 'fallbacks'>>)[];
  readonly mean_return: number;
  readonly standard_error: number;
}

export interface PpoScoring
  extends
    Pick<PlayedInSteps, 'random' | 'watch' | 'elsewhere'>,
    Pick<TasksEvaluation, 'checkpoint' | 'journal'> {
  /** where the traces of all attempts are kept; absent: none are asked for */
  readonly traces?: EvaluationTraces | undefined;
  readonly config: PpoConfig;
  readonly policy: Pick<PpoPolicy, 'actorCritic' | 'texts' | 'evaluatedAtOnce' | 'kind'>;
  readonly host: Pick<Host, 'listener' | 'signal' | 'trial'>;
}

/** The first held-out tasks, as many as are asked for and there are: of several environments in turn. */
export function evaluatedTasks(config: PpoConfig, { kind }: Pick<PpoPolicy, 'kind'>): readonly Task[] {
  const { env, evaluation } = config;
  const sources = kind ? [kind.tasks] : (tasksIn(config) ?? [env]).map((id) => localWorld(id).tasks);
  const turns = Math.ceil(evaluation.episodes / sources.length);
  const lists = sources.map(({ heldOut }) => firstTasks(heldOut, turns));
  const inTurn = Array.from({ length: turns }, (_, turn) => lists.flatMap((tasks) => tasks[turn] ?? []));
  return inTurn.flat().slice(0, evaluation.episodes);
}

/** Seeds of played episodes, all first attempts before the second ones: numbered starts begin by their number. */
export function seedsOf(config: PpoConfig, policy: Pick<PpoPolicy, 'kind'>): (number: number) => Seed {
  const { length } = evaluatedTasks(config, policy);
  const isCounted = !policy.kind && localWorld(config.env).tasks.heldOut.count !== null;
  return (number) => (isCounted ? number % length : heldOutSeed(number % length));
}

/** Plays the held-out tasks; null for none. A lost episode is reported, and in no count. */
export async function evaluatePpo(scoring: PpoScoring): Promise<PpoEvaluation | null> {
  const { config, policy, checkpoint, journal, traces, ...playing } = scoring;
  const { env, seed, evaluation } = config;
  const { attempts = 1 } = evaluation;
  const tasks = evaluatedTasks(config, policy);
  const count = tasks.length * attempts;
  if (count === 0) return null;
  const of = { env, tasks, attempts, sampling: samplingOf(evaluation), host: playing.host };
  const play = playInSteps({
    ...playing,
    ...of,
    policy: policy.actorCritic,
    texts: traces?.pictures.ofTexts(policy.texts) ?? policy.texts,
    environments: Array.from({ length: Math.min(policy.evaluatedAtOnce, count) }, () =>
      playedEnvironment(config, policy, 'heldOut'),
    ),
    seedOf: seedsOf(config, policy),
    traced: traces?.pictures.fileOf,
  });
  const subject = { policy: basename(config.policy), seed, checkpoint };
  const { result } = await evaluateTasks({ ...of, ...subject, journal, traces, play });
  return result as PpoEvaluation;
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
