/** The optimizers, by name. */
import type { ParameterGroup } from '@emac/core';
import { createAdamW, type AdamWOptions, type Optimizer, type OptimizerState } from './adamw.ts';
import { createMuon } from './muon.ts';

const optimizers = { adamw: createAdamW, muon: createMuon } as const;

export type OptimizerName = keyof typeof optimizers;
export const optimizerNames = Object.keys(optimizers) as [OptimizerName, ...OptimizerName[]];

export interface OptimizerOptions extends AdamWOptions {
  /** default `adamw` */
  readonly optimizer?: OptimizerName | undefined;
}

/** An optimizer over live parameters. Errors: `data` if a stored state does not fit them. */
export function createOptimizer(
  groups: readonly ParameterGroup[],
  { optimizer = 'adamw', ...options }: OptimizerOptions,
  stored?: OptimizerState,
): Optimizer {
  return optimizers[optimizer](groups, options, stored);
}
