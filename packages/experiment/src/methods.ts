/** The methods of runs. A run's config.yaml names its method, so the caller of `resume` need not know it. */
import { EmacError } from '@emac/core';
import { isThere } from '@emac/files';
import { plainHost } from '@emac/opening';
import { begunBy, type TrainConfig, type WorldConfig } from '@emac/settings';
import { grpoRecipe, type FinishedGrpo } from './grpo/recipe.ts';
import { resumeChain } from './life/chain.ts';
import type { ResumeHost } from './life/run.ts';
import { ppoRecipe, type FinishedPpo } from './reinforcement/recipe.ts';
import { trainRecipe, type FinishedRun, type TrainAsked } from './training/recipe.ts';

/** A finished run of any method; `command` names it. */
export type FinishedMethod = FinishedRun | FinishedPpo | FinishedGrpo;

export interface ResumeAny extends ResumeHost {
  /** called after every run, before the next one begins */
  readonly onFinished?: (run: FinishedMethod) => void;
  /** a run of `train`: its configuration with the settings that were changed */
  readonly changed?: (config: TrainConfig) => TrainConfig;
  /** a run of `ppo` or `grpo` over HTTP: where its clients connect now */
  readonly world?: Partial<WorldConfig>;
}

/**
 * Resumes a run of any method, to the bytes of an uninterrupted one, and the requested runs after it. Already finished
 * ones are neither repeated nor returned. Errors: `missing`, `config`, `data`, `cannot-create`; `RunError`.
 */
export async function resume(
  folder: string,
  { changed = (same) => same, world = {}, ...host }: ResumeAny = plainHost(),
): Promise<FinishedMethod[]> {
  // checkpoints hold the paths and the world with which the run began
  const here = <Asked extends { readonly here: { readonly world: WorldConfig } }>(asked: Asked): Asked => ({
    ...asked,
    here: { ...asked.here, world: { ...asked.here.world, ...world } },
  });
  switch (methodOf(folder)) {
    case 'train': {
      const asked = (run: TrainAsked): TrainAsked => ({ ...run, config: changed(run.config) });
      return resumeChain(trainRecipe, folder, { ...host, changed: asked });
    }
    case 'ppo':
      return resumeChain(ppoRecipe, folder, { ...host, changed: here });
    case 'grpo':
      return resumeChain(grpoRecipe, folder, { ...host, changed: here });
  }
}

/** A run's method, from its config.yaml. Errors: `missing`, `data`, `config`. */
export function methodOf(folder: string): ReturnType<typeof begunBy> {
  if (!isThere(folder)) throw new EmacError('missing', `--resume ${folder}: does not exist`);
  return begunBy(folder);
}
