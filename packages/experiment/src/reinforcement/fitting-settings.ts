/** Settings of PPO that say nothing where they are given: refused before a run begins. */
import { EmacError } from '@emac/core';
import type { PpoConfig } from '../config/ppo-config.ts';
import { localWorld } from '../environments/kind-of.ts';
import { smallNetworkOf } from '../opening/small-networks.ts';
import { requireFittingTasks } from './fitting-tasks.ts';

type Judged = Pick<
  PpoConfig,
  | 'env'
  | 'policy'
  | 'play'
  | 'curriculum'
  | 'shaping'
  | 'best'
  | 'losses'
  | 'optimization'
  | 'trained'
  | 'value'
>;

/**
 * Errors: `usage` for an environment that does not run here, for tasks that do not fit (`requireFittingTasks`), for what belongs to an average of returns that nobody makes, for values with an adapter where
 * none is trained, for steps of older policies in a loss without ratios, and for a schedule that falls to where it begins.
 */
export function requireFittingPpo(config: Judged): void {
  const { env, best, losses, optimization } = config;
  localWorld(env);
  requireFittingTasks(config);
  requireFittingValues(config);
  if (losses.policy === 'rlef' && optimization.maxStaleness > 0)
    throw refusal(
      `--max-staleness ${optimization.maxStaleness}: steps of older policies count by their ratio, and --policy-loss rlef has none; give one of the two`,
    );
  if (best.ema !== null) return;
  const [flag] = [best.minDelta > 0 && '--min-delta', best.patience !== null && '--patience'].filter(Boolean);
  if (flag) throw refusal(`${flag}: belongs to --best-ema, which was not given`);
}

function requireFittingValues(config: Judged): void {
  const { policy, trained, value, optimization } = config;
  if (value.learns === 'adapter' && smallNetworkOf(config))
    throw refusal(
      `--value-learns adapter: is an adapter of a vision-language model, got --policy ${policy}; leave it out`,
    );
  if (value.learns === 'adapter' && !trained.parts.includes('lora'))
    throw refusal(
      `--value-learns adapter: is a second adapter beside the one that learns, got --train ${trained.parts}; give --train lora or projection,lora, or --value-learns head`,
    );
  const { valueSchedule, finalShare } = optimization;
  if (valueSchedule !== null && valueSchedule !== 'constant' && finalShare === 1)
    throw refusal(
      `--value-schedule ${valueSchedule}: falls to --lr-final-share, which is 1; give one below 1, or --value-schedule constant`,
    );
}

function refusal(sentence: string): EmacError {
  return new EmacError('usage', sentence);
}
