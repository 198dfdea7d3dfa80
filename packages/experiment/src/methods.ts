/** The methods of runs. A run's config.yaml names its method, so the caller of `resume` need not know it. */
import { EmacError } from '@emac/core';
import { isThere } from '@emac/files';
import { plainHost } from '@emac/opening';
import { begunBy, type TrainConfig, type WorldConfig } from '@emac/settings';
import type { FinishedGrpo } from './grpo/recipe.ts';
import { resumeGrpo } from './grpo/train-grpo.ts';
import type { ResumeHost } from './life/run.ts';
import type { FinishedPpo } from './reinforcement/recipe.ts';
import { resumePpo } from './reinforcement/train-ppo.ts';
import type { FinishedRun } from './training/recipe.ts';
import { resumeTraining } from './training/train.ts';

/** By the command that begins its runs. */
const methods = { train: resumeTraining, ppo: resumePpo, grpo: resumeGrpo };

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
export async function resume(folder: string, options: ResumeAny = plainHost()): Promise<FinishedMethod[]> {
  return methods[methodOf(folder)](folder, options);
}

/** A run's method, from its config.yaml. Errors: `missing`, `data`, `config`. */
export function methodOf(folder: string): keyof typeof methods {
  if (!isThere(folder)) throw new EmacError('missing', `--resume ${folder}: does not exist`);
  return begunBy(folder);
}
