import * as tf from '@tensorflow/tfjs';
import { beforeAll, describe, expect, it } from 'vitest';
import { preferenceDerivatives } from './derivatives.ts';
import { preferenceLoss } from './preference-loss.ts';
import { tensors } from './tensors.ts';
import { variantPairs, variants } from './variants.test.support.ts';

const column = (name: Exclude<keyof (typeof variantPairs)[number], 'divergence'>) =>
  variantPairs.map((pair) => pair[name]);

describe('losses on tfjs tensors', () => {
  beforeAll(async () => {
    // without this, the first operation prints an advertisement
    tf.enableProdMode();
    await tf.setBackend('cpu');
    await tf.ready();
    expect(tf.getBackend()).toBe('cpu');
  });

  it('stay finite far from zero', () => {
    const { logSigmoid } = tensors<tf.Tensor>(tf);
    expect(logSigmoid(tf.tensor1d([-1000, 1000])).arraySync()).toEqual([-1000, -0]);
  });

  it.each(variants)('%s: values and gradients equal those on numbers', (_, options) => {
    const total = (chosen: tf.Tensor, rejected: tf.Tensor) =>
      preferenceLoss(
        tensors<tf.Tensor>(tf),
        {
          policyChosen: chosen,
          policyRejected: rejected,
          referenceChosen: tf.tensor1d(column('referenceChosen')),
          referenceRejected: tf.tensor1d(column('referenceRejected')),
        },
        options,
      );
    const inputs = [tf.tensor1d(column('policyChosen')), tf.tensor1d(column('policyRejected'))] as const;
    const values = total(...inputs).arraySync() as number[];
    const [chosenSlope, rejectedSlope] = tf
      .grads((chosen, rejected) => total(chosen!, rejected!))([...inputs])
      .map((slope) => slope.arraySync() as number[]);
    variantPairs.forEach((pair, index) => {
      const expected = preferenceDerivatives((a, p) => preferenceLoss(a, p, options), pair);
      expect(values[index]).toBeCloseTo(expected.loss, 5);
      expect(chosenSlope![index]).toBeCloseTo(expected.chosen, 5);
      expect(rejectedSlope![index]).toBeCloseTo(expected.rejected, 5);
    });
  });
});
