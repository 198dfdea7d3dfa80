import * as tf from '@tensorflow/tfjs';
import { beforeAll, describe, expect, it } from 'vitest';
import { preferenceDerivatives } from './derivatives.ts';
import { dpo } from './dpo.ts';
import { hinge } from './hinge.ts';
import { ipo } from './ipo.ts';
import { withMixRatio } from './mix-ratio.ts';
import { tensors } from './tensors.ts';
import type { Arithmetic } from './arithmetic.ts';
import type { PreferenceLogProbabilities } from './preference.ts';

type Loss = <T>(arithmetic: Arithmetic<T>, pairs: PreferenceLogProbabilities<T>) => T;
const losses: [string, Loss][] = [
  ['dpo', (a, p) => dpo(a, p, { beta: 0.5, labelSmoothing: 0.1 })],
  ['ipo', (a, p) => ipo(a, p, { beta: 0.5 })],
  ['hinge', (a, p) => hinge(a, p, { beta: 0.5 })],
  [
    'dpo with mix ratio',
    (a, p) => withMixRatio(a, dpo(a, p, { beta: 0.5 }), { policyChosen: p.policyChosen, mixRatio: 0.5 }),
  ],
];
const policyChosen = [-1, -3.5, -0.25];
const policyRejected = [-3, -0.5, -2];
const referenceChosen = [-2, -3, -0.5];
const referenceRejected = [-2.5, -1, -0.75];

describe('losses on tfjs tensors', () => {
  beforeAll(async () => {
    // the first operation prints an advertisement unless this is set
    tf.enableProdMode();
    await tf.setBackend('cpu');
    await tf.ready();
    expect(tf.getBackend()).toBe('cpu');
  });

  it('stay finite far from zero', () => {
    const { logSigmoid } = tensors<tf.Tensor>(tf);
    expect(logSigmoid(tf.tensor1d([-1000, 1000])).arraySync()).toEqual([-1000, -0]);
  });

  it.each(losses)('%s: values and gradients equal those on numbers', (_, loss) => {
    const total = (chosen: tf.Tensor, rejected: tf.Tensor) =>
      loss(tensors<tf.Tensor>(tf), {
        policyChosen: chosen,
        policyRejected: rejected,
        referenceChosen: tf.tensor1d(referenceChosen),
        referenceRejected: tf.tensor1d(referenceRejected),
      });
    const inputs = [tf.tensor1d(policyChosen), tf.tensor1d(policyRejected)] as const;
    const values = total(...inputs).arraySync() as number[];
    const [chosenSlope, rejectedSlope] = tf
      .grads((chosen, rejected) => total(chosen!, rejected!))([...inputs])
      .map((slope) => slope.arraySync() as number[]);
    policyChosen.forEach((chosen, index) => {
      const expected = preferenceDerivatives(loss, {
        policyChosen: chosen,
        policyRejected: policyRejected[index]!,
        referenceChosen: referenceChosen[index]!,
        referenceRejected: referenceRejected[index]!,
      });
      expect(values[index]).toBeCloseTo(expected.loss, 5);
      expect(chosenSlope![index]).toBeCloseTo(expected.chosen, 5);
      expect(rejectedSlope![index]).toBeCloseTo(expected.rejected, 5);
    });
  });
});
