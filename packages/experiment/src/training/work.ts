/** The parts needed to run a phase. */
import type { Work as RunWork } from '../life/recipe.ts';
import type { TrainingPlan } from './plan.ts';
import type { TrainingWorkers } from './training-workers.ts';

export interface Work extends RunWork {
  readonly plan: TrainingPlan;
  /** processes that play; null: this one */
  readonly elsewhere: TrainingWorkers | null;
}
