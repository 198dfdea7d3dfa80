/** What it takes to carry out a phase. */
import type { RunElsewhere } from '@emac/workers';
import type { Work as RunWork } from '../life/recipe.ts';
import type { TrainingPlan } from './plan.ts';

export interface Work extends RunWork {
  readonly plan: TrainingPlan;
  /** other processes that play; null where this one does */
  readonly elsewhere: RunElsewhere | null;
}
