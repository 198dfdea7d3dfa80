/** The language model of a plan, for parts that no small network has. */
import { invariant } from '@emac/core';
import { versionOf } from '@emac/workers';
import type { PlannedModel, TrainingPlan } from './plan.ts';

export function languageOf({ language }: Pick<TrainingPlan, 'language'>): PlannedModel {
  invariant(language, 'a small network has no workers and learns from no dataset');
  return language;
}

/** The policy as it is now, for workers. */
export function versionIn(plan: Pick<TrainingPlan, 'language'>): ReturnType<typeof versionOf> {
  return versionOf(languageOf(plan).student);
}
