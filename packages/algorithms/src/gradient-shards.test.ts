/** Shards add up to the gradient of all rows, in their own order. */
import { promptOf, Random, type ActorCriticRow, type GradientRow } from '@emac/core';
import { clippedPolicyLoss, imitationLoss, valueLossOf } from '@emac/losses';
import { createSmallNetwork, mlp } from '@emac/small-networks';
import { bagOfWords, blank, commands } from '@emac/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { actorCriticInShards, gradientInShards, oneByOne, shardsOf } from './gradient-shards.ts';

const texts = ['want-a at-b', 'want-b nothing', 'want-c at-a', 'at-c want-a', 'want-b at-b'];

const rows: readonly GradientRow[] = texts.map((text, place) => ({
  prompt: promptOf([blank], text),
  answers: [commands[place % commands.length]!],
  weight: 0.1 + 0.2 * place,
}));

const policy = bagOfWords(Random.fromSeed(3));
const inShards = (count: number) => gradientInShards(count, oneByOne(policy.gradient));

describe('shards of rows', () => {
  it('are contiguous, whole, not empty, and differ by one row at most', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer(), { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 1, max: 50 }),
        (all, count) => {
          const shards = shardsOf(all, count);
          expect(shards.flat()).toEqual(all);
          expect(shards).toHaveLength(Math.min(count, all.length));
          const sizes = shards.map(({ length }) => length);
          expect(Math.min(...sizes)).toBeGreaterThan(0);
          expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
        },
      ),
    );
  });

  it('of no rows are one empty shard', () => {
    expect(shardsOf([], 4)).toEqual([[]]);
  });
});

describe('a gradient in shards', () => {
  it.each([2, 3, 5, 50])('%i: is that of all rows, to rounding', async (count) => {
    const whole = await policy.gradient(rows, imitationLoss);
    const found = await inShards(count)(rows, imitationLoss);
    expect(found.loss).toBeCloseTo(whole.loss, 10);
    expect(found.logProbabilities).toEqual(whole.logProbabilities);
    expect([...found.gradients.keys()]).toEqual([...whole.gradients.keys()]);
    for (const [name, slopes] of found.gradients)
      slopes.forEach((slope, place) => expect(slope).toBeCloseTo(whole.gradients.get(name)![place]!, 6));
  });

  it('is the slope of the loss', async () => {
    const { gradients } = await inShards(3)(rows, imitationLoss);
    const bias = policy.groups[0]!.parameters.get('bias')!.data;
    const lossAt = async (place: number, value: number): Promise<number> => {
      const before = bias[place]!;
      bias[place] = value;
      policy.commit();
      const { loss } = await inShards(3)(rows, imitationLoss);
      bias[place] = before;
      policy.commit();
      return loss;
    };
    for (const place of [0, 1, 2]) {
      const [low, high] = [bias[place]! - 0.125, bias[place]! + 0.125];
      const slope = ((await lossAt(place, high)) - (await lossAt(place, low))) / 0.25;
      // the error of a central difference is its step squared times a third derivative, below 1 for each row
      expect(gradients.get('bias')![place]).toBeCloseTo(slope, 2);
    }
  });

  it('adds in float32, in the order of the shards, without changing its inputs', async () => {
    // 1 + 2⁻²⁴ rounds to 1 in float32, 2⁻²⁴ + 2⁻²⁴ + 1 does not
    const small = 2 ** -24;
    const given = (slopes: readonly number[]) =>
      slopes.map((slope) => ({
        loss: slope,
        gradients: new Map([['w', Float32Array.of(slope)]]),
        logProbabilities: [[slope]],
      }));
    const summed = async (slopes: readonly number[]) => {
      const found = given(slopes);
      const gradient = gradientInShards(3, async function* () {
        yield* found;
      });
      const sum = await gradient(rows, imitationLoss);
      expect(found).toEqual(given(slopes));
      return sum;
    };
    expect([...(await summed([1, small, small])).gradients.get('w')!]).toEqual([1]);
    expect([...(await summed([small, small, 1])).gradients.get('w')!]).toEqual([1 + 2 ** -23]);
    expect(await summed([1, small, small])).toMatchObject({
      loss: 1 + 2 ** -23,
      logProbabilities: [[1], [small], [small]],
    });
  });
});

describe('of an actor with a critic', () => {
  const actions = ['left', 'right', 'wait'];
  const acted: readonly ActorCriticRow[] = [0, 1, 2, 3, 4].map((place) => ({
    prompt: [
      {
        kind: 'array',
        name: 'seen',
        values: { shape: [2], data: Float32Array.of(place - 2, 1 / (1 + place)) },
      },
    ],
    answers: [[place % 3]],
    // the last answer is in no term of the policy's loss
    weight: place === 4 ? 0 : 0.25,
    valueWeight: 0.1,
    constants: { sampledLogProbability: -1.2, advantage: place - 1.5, return: 0.3 * place },
  }));

  it.each([2, 4, 9])(
    '%i shards equal the whole up to rounding, with values in their order',
    async (count) => {
      const architecture = mlp({ inputs: [{ array: 'seen', encode: 'numbers', size: 2 }], hidden: [5, 4] });
      const network = await createSmallNetwork({ architecture, actions, start: Random.fromSeed(3) });
      const value = valueLossOf({ clip: null });
      const policy = clippedPolicyLoss({
        credit: 'token',
        clip: { low: 0.2, high: 0.2 },
        entropyCoefficient: 0.01,
      });
      for (const losses of [
        { policy, value },
        { policy: null, value },
      ]) {
        const whole = await network.gradient(acted, losses);
        const found = await actorCriticInShards(count, oneByOne(network.gradient))(acted, losses);
        expect(found.policyLoss).toBeCloseTo(whole.policyLoss, 6);
        expect(found.valueLoss).toBeCloseTo(whole.valueLoss, 6);
        expect(found.values).toHaveLength(acted.length);
        found.values.forEach((each, place) => expect(each).toBeCloseTo(whole.values[place]!, 6));
        expect(found.logProbabilities.map(({ length }) => length)).toEqual(
          whole.logProbabilities.map(({ length }) => length),
        );
        expect([...found.gradients.keys()]).toEqual([...whole.gradients.keys()]);
        for (const [name, slopes] of found.gradients)
          slopes.forEach((slope, place) => expect(slope).toBeCloseTo(whole.gradients.get(name)![place]!, 6));
      }
      await network.dispose();
    },
  );
});
