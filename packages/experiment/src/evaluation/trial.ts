/** What an evaluation comes to, as a dry run describes it. The trial is the evaluation itself, stopped after a few steps. */
import type { Dataset } from '@emac/datasets';
import {
  exactly,
  expectedPolicy,
  onlyPlay,
  shortestOf,
  stepsOf,
  type EnvironmentPlayer,
  type EvaluatedPolicy,
  type Expected,
  type ExpectedPolicy,
  type RunPlay,
} from '@emac/opening';
import type { ComparedTasks } from '../comparison/compared-tasks.ts';
import { expectedSteps, type PpoTrained } from '../reinforcement/ppo-parts.ts';

export interface EvaluatedParts {
  readonly opened: EvaluatedPolicy;
  /** null for an evaluation of games */
  readonly dataset: Dataset | null;
  /** null for one of a dataset */
  readonly play: RunPlay | null;
}

export function expectedInWords(
  { opened, dataset, play }: EvaluatedParts,
  { together, attempts }: { readonly together: number; readonly attempts: number },
): Expected {
  const { form } = opened;
  const each = attempts === 1 ? 'one attempt' : `${attempts} attempts`;
  const shortest = play ? Array.from({ length: attempts }, () => shortestOf(play)).flat() : [];
  return {
    ...onlyPlay,
    of: dataset ? `${dataset.length} samples` : `${play!.tasks().length} games, ${each} each`,
    policy: expectedPolicy(opened, opened.student),
    noun: dataset ? 'sample' : 'step',
    size: together,
    together,
    played: dataset ? exactly(dataset.length) : stepsOf(shortest, form.maxSteps),
    maxSteps: form.maxSteps,
    maxTextTokens: dataset ? null : form.text.maxTokens,
  };
}

export function expectedInSteps(parts: Pick<PpoTrained, 'config' | 'policy'>, episodes: number): Expected {
  const { maxSteps, ...expected } = expectedSteps(parts);
  const { env } = parts.config;
  return { ...expected, ...ofEpisodes({ env, episodes, maxSteps, atOnce: parts.policy.evaluatedAtOnce }) };
}

export interface EvaluatedPlayer extends Pick<ComparedTasks, 'opened'> {
  readonly player: Pick<EnvironmentPlayer, 'atOnce' | 'content'>;
  readonly name: string;
  readonly episodes: number;
}

/** Of a player without a model. */
export function expectedOfPlayer({ player, name, opened, episodes }: EvaluatedPlayer): Expected {
  const { id: env, maxSteps } = opened;
  const policy: ExpectedPolicy = {
    name,
    identity: player.content,
    layers: null,
    computing: null,
    sizes: { parameters: 0, trained: 0 },
    frozen: 0,
    countPromptTokens: () => 0,
    countVisualTokens: null,
  };
  return { ...onlyPlay, policy, ...ofEpisodes({ env, episodes, maxSteps, atOnce: player.atOnce }) };
}

interface Episodes {
  readonly env: string;
  readonly episodes: number;
  readonly maxSteps: number;
  readonly atOnce: number;
}

function ofEpisodes({ env, episodes, maxSteps, atOnce }: Episodes) {
  const together = Math.min(atOnce, episodes);
  return {
    of: `${episodes} episodes of ${env}`,
    noun: 'step',
    size: together,
    together,
    played: stepsOf(Array<number>(episodes).fill(1), maxSteps),
    maxSteps,
  } as const;
}
