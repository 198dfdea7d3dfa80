/** The methods that a run can be of. A run says in its config.yaml which one it is; whoever resumes it need not know. */
import { EmacError } from '@emac/core';
import { isThere } from '@emac/files';
import { plainHost } from '@emac/opening';
import { begunBy, type TrainConfig } from '@emac/settings';
import type { FinishedGrpo } from './grpo/recipe.ts';
import { resumeGrpo } from './grpo/train-grpo.ts';
import type { ResumeHost } from './life/run.ts';
import type { FinishedPpo } from './reinforcement/recipe.ts';
import { resumePpo } from './reinforcement/train-ppo.ts';
import type { FinishedRun } from './training/recipe.ts';
import { resumeTraining } from './training/train.ts';

/** By the command that begins its runs. */
const methods = { train: resumeTraining, ppo: resumePpo, grpo: resumeGrpo };

/** A finished run of any method; `command` says which. */
export type FinishedMethod = FinishedRun | FinishedPpo | FinishedGrpo;

export interface ResumeAny extends ResumeHost {
  /** hears of every run when it is finished, before the next one begins */
  readonly onFinished?: (run: FinishedMethod) => void;
  /** a run of `train`: its configuration with the settings that were changed */
  readonly changed?: (config: TrainConfig) => TrainConfig;
}

/**
 * Resumes a run of any method, to the bytes of an uninterrupted one, and the runs after it that were asked for. What was finished before is not
 * repeated, nor returned. Errors: `missing`, `config`, `data`, `cannot-create`; `RunError`.
 */
export async function resume(folder: string, options: ResumeAny = plainHost()): Promise<FinishedMethod[]> {
  return methods[methodOf(folder)](folder, options);
}

/** The method that a run is of, as its config.yaml says. Errors: `missing`, `data`, `config`. */
export function methodOf(folder: string): keyof typeof methods {
  if (!isThere(folder)) throw new EmacError('missing', `--resume ${folder}: is not there`);
  return begunBy(folder);
}
