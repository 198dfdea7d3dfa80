/** Every preference loss, and pairs to try it on; the pairs avoid the kink of the hinge. */
import type { PreferenceLogProbabilities } from './preference.ts';
import type { PreferenceOptions } from './preference-loss.ts';

const losses: readonly (readonly [string, Pick<PreferenceOptions, 'loss' | 'labelSmoothing'>])[] = [
  ['sigmoid', {}],
  ['sigmoid with label smoothing', { labelSmoothing: 0.1 }],
  ['ipo', { loss: 'ipo' }],
  ['hinge', { loss: 'hinge' }],
];

const referenced: readonly (readonly [string, PreferenceOptions])[] = losses.flatMap(([name, loss]) =>
  [false, true].flatMap((referenceFree) =>
    [0, 0.5].map((mixRatio) => {
      const reference = referenceFree ? ', reference-free' : '';
      return [
        `${name}${reference}, mix ratio ${mixRatio}`,
        { ...loss, beta: 0.4, referenceFree, mixRatio },
      ] as const;
    }),
  ),
);

/** They read no reference. */
const others: readonly (readonly [string, PreferenceOptions])[] = [0, 0.5].flatMap((mixRatio) => [
  [`simpo, mix ratio ${mixRatio}`, { loss: 'simpo', beta: 0.4, targetMargin: 0.3, mixRatio }] as const,
  [`orpo, mix ratio ${mixRatio}`, { loss: 'orpo', beta: 0.4, mixRatio }] as const,
]);

export const variants = [...referenced, ...others];

/** h = 1.5, −3.5, 3 with the reference; 2, −3, 1.75 without; the hinge at β = 0.4 bends at 2.5. */
export const variantPairs: readonly PreferenceLogProbabilities<number>[] = [
  { policyChosen: -1, policyRejected: -3, referenceChosen: -2, referenceRejected: -2.5 },
  { policyChosen: -3.5, policyRejected: -0.5, referenceChosen: -0.75, referenceRejected: -1.25 },
  { policyChosen: -0.25, policyRejected: -2, referenceChosen: -2, referenceRejected: -0.75 },
];
