/** The language model of a plan, for parts that no small network has. */
import { invariant } from '@emac/core';
import type { PlannedModel, TrainingPlan } from './plan.ts';

export function languageOf({ language }: Pick<TrainingPlan, 'language'>): PlannedModel {
  invariant(language, 'a small network has no workers and learns from no dataset');
  return language;
}
