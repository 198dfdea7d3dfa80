/** The parts needed to run a phase. */
import type { RunElsewhere } from '@emac/workers';
import type { Work as RunWork } from '../life/recipe.ts';
import type { TrainingPlan } from './plan.ts';

export interface Work extends RunWork {
  readonly plan: TrainingPlan;
  /** processes that play; null: this one */
  readonly elsewhere: RunElsewhere | null;
}
