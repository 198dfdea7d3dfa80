/** Refuses PPO settings that exclude each other, before a run begins. */
import { EmacError } from '@emac/core';
import { isDescribedElsewhere, isWorded, localWorld, requirePlayable, requireReadable } from '@emac/opening';
import type { PpoConfig } from '@emac/settings';
import { requireFittingTasks } from './fitting-tasks.ts';

type Judged = Pick<
  PpoConfig,
  | 'env'
  | 'policy'
  | 'play'
  | 'world'
  | 'curriculum'
  | 'shaping'
  | 'losses'
  | 'optimization'
  | 'trained'
  | 'value'
>;

/**
 * Errors: `usage` for an environment that does not run here; tasks that do not fit (`requireFittingTasks`); more environments than clients;
 * a critic adapter without a trained adapter; stale steps in a loss without ratios; a schedule that ends at its start.
 */
export function requireFittingPpo(config: Judged): void {
  const { env, policy, play, world, losses, optimization } = config;
  requirePlayable({ env, world });
  requireReadable({ env, policy });
  if (world.kind === 'http' && play.environments > world.clients)
    throw refusal(
      `--num-processes ${play.environments}: must be at most --clients ${world.clients}, as each environment needs its own client; give --clients ${play.environments}, or --num-processes ${world.clients}`,
    );
  if (!isWorded(env) && !isDescribedElsewhere(env)) {
    localWorld(env);
    requireFittingTasks(config);
  }
  requireFittingValues(config);
  if (losses.policy === 'rlef' && optimization.maxStaleness > 0)
    throw refusal(
      `--max-staleness ${optimization.maxStaleness}: weights steps of older policies by their ratio, but --policy-loss rlef has none; give one of the two`,
    );
}

function requireFittingValues({ trained, value, optimization }: Judged): void {
  if (value.learns === 'adapter' && !trained.parts.includes('lora'))
    throw refusal(
      `--value-learns adapter: adds a second adapter beside the policy's, got --train ${trained.parts}; give --train lora or projection,lora, or --value-learns head`,
    );
  const { valueSchedule, finalShare } = optimization;
  if (valueSchedule !== null && valueSchedule !== 'constant' && finalShare === 1)
    throw refusal(
      `--value-schedule ${valueSchedule}: must fall to a share below 1, got --lr-final-share 1; give a lower share, or --value-schedule constant`,
    );
}

function refusal(sentence: string): EmacError {
  return new EmacError('usage', sentence);
}
