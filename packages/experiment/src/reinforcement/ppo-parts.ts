/** What PPO trains with. */
import type { EpisodeChoice, PpoRun } from '@emac/algorithms';
import { Random, type Prompt } from '@emac/core';
import {
  countedTasks,
  environmentTasks,
  expectedPolicy,
  onlyPlay,
  playedEnvironment,
  tasksIn,
  type MemoryLimit,
  type PpoPolicy,
  type StepAction,
} from '@emac/opening';
import type { StepRater, StepTexts } from '@emac/rollout';
import { ppoSettingsOf, type PpoConfig } from '@emac/settings';
import { curriculumChoice } from './curriculum-choice.ts';
import { trainingRandom } from './ppo-workers.ts';

export interface PpoTrained {
  readonly config: PpoConfig;
  readonly policy: PpoPolicy;
  /** null without ratings */
  readonly rate: StepRater | null;
}

/** Errors: `usage` for a curriculum of an environment without tasks, and at the first prompt if an update's do not fit the memory. */
export function ppoParts(
  { config, policy, rate }: PpoTrained,
  memory: MemoryLimit | undefined,
): Omit<PpoRun<StepAction>, 'metrics'> {
  return {
    settings: ppoSettingsOf(config),
    actorCritic: policy.actorCritic,
    environments: Array.from({ length: config.play.environments }, () =>
      playedEnvironment(config, policy, 'training'),
    ),
    texts: memory ? keptTexts(config, policy, memory) : policy.texts,
    // only environments with numbered actions are rated
    ...(rate && { rate: rate as StepRater<StepAction> }),
    ...(policy.predictor && { predictor: policy.predictor }),
    ...choiceOf(config),
    random: trainingRandom(config),
  };
}

/** The texts of a policy; those of an update are kept until it has learned from them, and their size is known with the first. */
function keptTexts(
  { play: { environments, stepsPerUpdate } }: PpoConfig,
  { texts }: PpoPolicy,
  memory: MemoryLimit,
): StepTexts<StepAction> {
  const steps = environments * stepsPerUpdate;
  let isMeasured = false;
  const measured = (prompt: Prompt): Prompt => {
    if (!isMeasured)
      memory.require({
        what: `the observations of an update's ${steps} steps`,
        bytes: steps * bytesOf(prompt),
        lower: 'lower --num-steps or --num-processes',
      });
    isMeasured = true;
    return prompt;
  };
  return {
    ...texts,
    prompt(seen) {
      const prompt = texts.prompt(seen);
      return prompt instanceof Promise ? prompt.then(measured) : measured(prompt);
    },
  };
}

/** What every step holds for itself: equal pictures share their features. */
function bytesOf(prompt: Prompt): number {
  return prompt.reduce((sum, part) => sum + (part.kind === 'array' ? part.values.data.byteLength : 0), 0);
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
