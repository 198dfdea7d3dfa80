/**
 * The loss minimised by preference training: one of three on the difference of log-ratios, SimPO's, ORPO's or KTO's, plus
 * EMMA's behaviour-cloning term. Label smoothing is defined for the log-sigmoid only.
 */
import { EmacError } from '@emac/core';
import type { AnswerLoss, Arithmetic } from '@emac/core';
import { dpo } from './dpo.ts';
import { hinge } from './hinge.ts';
import { ipo } from './ipo.ts';
import { kto } from './kto.ts';
import { withMixRatio } from './mix-ratio.ts';
import { orpo } from './orpo.ts';
import type { PreferenceLogProbabilities } from './preference.ts';
import { simpo } from './simpo.ts';

/** `sigmoid` is DPO's own loss; `ipo` and `hinge` replace its log-sigmoid; `simpo` and `orpo` read no reference. */
export type PreferenceLossName = 'sigmoid' | 'ipo' | 'hinge' | 'simpo' | 'orpo' | 'kto';

export interface PreferenceOptions {
  /** inverse temperature β of the implicit reward */
  readonly beta: number;
  /** weight of the behaviour-cloning term −log π(chosen) */
  readonly mixRatio: number;
  /** default `sigmoid` */
  readonly loss?: PreferenceLossName;
  /** `sigmoid`: probability ε < ½ that chosen and rejected were swapped; default 0 */
  readonly labelSmoothing?: number;
  /** the loss treats the reference as uniform; default false */
  readonly referenceFree?: boolean;
  /** `simpo`: γ, the margin that the chosen answer's reward should have; default 0 */
  readonly targetMargin?: number;
  /** `kto`: weights of chosen and of rejected answers; default 1 */
  readonly desirableWeight?: number;
  readonly undesirableWeight?: number;
  /** an answer's log-probability is the mean over its tokens instead of the sum; default true */
  readonly averageLogProbabilities?: boolean;
}

/**
 * The loss for training. Rows have the chosen and the rejected answer, in this order. They give the reference's
 * log-probabilities of both, pooled alike, as `referenceChosen` and `referenceRejected`; a reference-free loss does not
 * read them. Errors: `usage` for invalid options.
 */
export function preferenceLossOf(options: PreferenceOptions): AnswerLoss {
  checkPreferenceOptions(options);
  return {
    over: 'answers',
    answers: 2,
    pooling: (options.averageLogProbabilities ?? true) ? 'mean' : 'sum',
    formula: (arithmetic, { logProbabilities, constant }) => {
      const [policyChosen, policyRejected] = logProbabilities;
      return preferenceLoss(
        arithmetic,
        {
          policyChosen: policyChosen!,
          policyRejected: policyRejected!,
          get referenceChosen() {
            return constant('referenceChosen');
          },
          get referenceRejected() {
            return constant('referenceRejected');
          },
          get divergence() {
            return constant('divergence');
          },
        },
        options,
      );
    },
  };
}

/** The loss of each pair. Errors: `usage` for invalid options. */
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
    case 'simpo':
      return simpo(arithmetic, pairs, options);
    case 'orpo':
      return orpo(arithmetic, pairs, options);
    case 'kto':
      return kto(arithmetic, pairs, options);
  }
}

/** Errors: `usage` for numbers out of range, and for label smoothing with other losses than `sigmoid`. */
export function checkPreferenceOptions({
  beta,
  mixRatio,
  loss,
  labelSmoothing = 0,
  targetMargin = 0,
  desirableWeight = 1,
  undesirableWeight = 1,
}: PreferenceOptions): void {
  if (!(beta > 0 && beta < Infinity))
    throw new EmacError('usage', `preference loss: beta must be above 0, got ${beta}`);
  if (!(mixRatio >= 0 && mixRatio < Infinity))
    throw new EmacError('usage', `preference loss: mix ratio must be 0 or above, got ${mixRatio}`);
  if (!(targetMargin >= 0 && targetMargin < Infinity))
    throw new EmacError('usage', `preference loss: target margin must be 0 or above, got ${targetMargin}`);
  if (!(Math.min(desirableWeight, undesirableWeight) >= 0 && desirableWeight + undesirableWeight < Infinity))
    throw new EmacError(
      'usage',
      `preference loss: weights must be 0 or above, got ${desirableWeight} and ${undesirableWeight}`,
    );
  if (!(labelSmoothing >= 0 && labelSmoothing < 0.5))
    throw new EmacError(
      'usage',
      `preference loss: label smoothing must be from 0 to below 0.5, got ${labelSmoothing}`,
    );
  if (labelSmoothing > 0 && loss !== undefined && loss !== 'sigmoid')
    throw new EmacError('usage', `preference loss: label smoothing belongs to sigmoid, got ${loss}`);
}
