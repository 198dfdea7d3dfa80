/** Checks settings beyond their types, before anything begins. */
import { EmacError } from '@emac/core';
import { checkPreferenceOptions } from '@emac/losses';
import type { TrainingSettings } from './settings.ts';

/** Throws `usage` for numbers out of range, and for options of a loss that do not go together. */
export function checkSettings({ play, optimization, preference }: TrainingSettings): void {
  checkPreferenceOptions(preference);
  const { betas, clipNorm, minimum, learningRate } = optimization;
  for (const beta of betas)
    if (!(beta >= 0 && beta < 1))
      throw usage(`AdamW: betas must be from 0 to below 1, got ${betas.join(' and ')}`);
  if (clipNorm !== null && !(clipNorm > 0))
    throw usage(`gradient clipping: the norm must be above 0, got ${clipNorm}`);
  if (minimum > learningRate)
    throw usage(`schedule: the minimum ${minimum} must not be above the learning rate ${learningRate}`);
  for (const value of [play.expertShare.start, play.expertShare.decay])
    if (!(value >= 0 && value <= 1))
      throw usage(`expert share: start and decay must be from 0 to 1, got ${value}`);
}

function usage(message: string): EmacError {
  return new EmacError('usage', message);
}
