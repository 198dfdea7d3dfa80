/** What settings must be beyond their types, checked before anything is begun with them. */
import { EmacError } from '@emac/core';
import { checkPreferenceOptions } from '@emac/losses';
import type { TrainingSettings } from './settings.ts';

/** Throws `usage` for numbers out of range, and for a loss that is none. */
export function checkSettings(settings: TrainingSettings): void {
  checkPreferenceOptions(settings);
  for (const beta of settings.betas)
    if (!(beta >= 0 && beta < 1))
      throw new EmacError(
        'usage',
        `AdamW: betas must be from 0 to below 1, got ${settings.betas.join(' and ')}`,
      );
  const { clipNorm, minimum, learningRate } = settings;
  if (clipNorm !== null && !(clipNorm > 0))
    throw new EmacError('usage', `gradient clipping: the norm must be above 0, got ${clipNorm}`);
  if (minimum > learningRate)
    throw new EmacError(
      'usage',
      `schedule: the minimum ${minimum} must not be above the learning rate ${learningRate}`,
    );
}
