/**
 * The loss that preference training minimises: one of three on the difference of log-ratios, and EMMA's share of
 * behaviour cloning beside it. Label smoothing is defined for the log-sigmoid only.
 */
import { EmacError } from '@emac/core';
import type { PreferenceOptions } from '@emac/core';
import type { Arithmetic } from './arithmetic.ts';
import { dpo } from './dpo.ts';
import { hinge } from './hinge.ts';
import { ipo } from './ipo.ts';
import { withMixRatio } from './mix-ratio.ts';
import type { PreferenceLogProbabilities } from './preference.ts';

/** The loss of each pair; `usage` for options that are none. */
export function preferenceLoss<T>(
  arithmetic: Arithmetic<T>,
  pairs: PreferenceLogProbabilities<T>,
  options: PreferenceOptions,
): T {
  checkPreferenceOptions(options);
  const { policyChosen } = pairs;
  return withMixRatio(arithmetic, preference(arithmetic, pairs, options), {
    policyChosen,
    mixRatio: options.mixRatio,
  });
}

function preference<T>(
  arithmetic: Arithmetic<T>,
  pairs: PreferenceLogProbabilities<T>,
  options: PreferenceOptions,
): T {
  switch (options.loss ?? 'sigmoid') {
    case 'sigmoid':
      return dpo(arithmetic, pairs, options);
    case 'ipo':
      return ipo(arithmetic, pairs, options);
    case 'hinge':
      return hinge(arithmetic, pairs, options);
  }
}

/** Throws `usage` for numbers out of range and label smoothing where it is not defined. */
export function checkPreferenceOptions({
  beta,
  mixRatio,
  loss,
  labelSmoothing = 0,
}: PreferenceOptions): void {
  if (!(beta > 0 && beta < Infinity))
    throw new EmacError('usage', `preference loss: beta must be above 0, got ${beta}`);
  if (!(mixRatio >= 0 && mixRatio < Infinity))
    throw new EmacError('usage', `preference loss: mix ratio must be 0 or above, got ${mixRatio}`);
  if (!(labelSmoothing >= 0 && labelSmoothing < 0.5))
    throw new EmacError(
      'usage',
      `preference loss: label smoothing must be from 0 to below 0.5, got ${labelSmoothing}`,
    );
  if (labelSmoothing > 0 && loss !== undefined && loss !== 'sigmoid')
    throw new EmacError('usage', `preference loss: label smoothing belongs to sigmoid, got ${loss}`);
}
