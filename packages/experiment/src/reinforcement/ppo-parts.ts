/** What PPO trains with. */
import type { EpisodeChoice, PpoRun } from '@emac/algorithms';
import { Random } from '@emac/core';
import {
  countedTasks,
  environmentTasks,
  expectedPolicy,
  onlyPlay,
  playedEnvironment,
  tasksIn,
  type PpoPolicy,
  type StepAction,
} from '@emac/opening';
import type { StepRater } from '@emac/rollout';
import { ppoSettingsOf, type PpoConfig } from '@emac/settings';
import { curriculumChoice } from './curriculum-choice.ts';
import { trainingRandom } from './ppo-workers.ts';

export interface PpoTrained {
  readonly config: PpoConfig;
  readonly policy: PpoPolicy;
  /** null without ratings */
  readonly rate: StepRater | null;
}

/** Errors: `usage` for a curriculum of an environment without tasks. */
export function ppoParts({ config, policy, rate }: PpoTrained): Omit<PpoRun<StepAction>, 'metrics'> {
  return {
    settings: ppoSettingsOf(config),
    actorCritic: policy.actorCritic,
    environments: Array.from({ length: config.play.environments }, () =>
      playedEnvironment(config, policy, 'training'),
    ),
    texts: policy.texts,
    // only environments with numbered actions are rated
    ...(rate && { rate: rate as StepRater<StepAction> }),
    ...(policy.predictor && { predictor: policy.predictor }),
    ...choiceOf(config),
    random: trainingRandom(config),
  };
}

/** The curriculum's choice of tasks, if any. Errors: `usage` for an environment without tasks. */
function choiceOf(config: PpoConfig): { readonly choice?: EpisodeChoice } {
  const { env, seed, curriculum } = config;
  const { formula, temperature, tasks: _names, ...settings } = curriculum;
  if (formula === null) return {};
  const random = Random.fromSeed(seed).stream('curriculum');
  const given = { formula, ...settings, ...(temperature !== null && { temperature }) };
  const tasks = tasksIn(config);
  return { choice: curriculumChoice(tasks ? environmentTasks(tasks) : countedTasks(env), given, random) };
}

/** What a dry run expects of its episodes. */
export function expectedSteps({ config, policy }: Pick<PpoTrained, 'config' | 'policy'>) {
  return {
    ...onlyPlay,
    policy: expectedPolicy(policy, learnerOf(policy)),
    noun: 'step',
    maxSteps: policy.kind?.maxSteps ?? config.play.maxSteps ?? policy.stored.policy?.maxSteps ?? 300,
  } as const;
}

/** Everything that is trained of it. */
export function learnerOf({ actorCritic, predictor }: PpoPolicy) {
  const { policy, value } = actorCritic.groups;
  return { ...actorCritic, groups: [...policy, ...value, ...(predictor?.policy.groups ?? [])] };
}
