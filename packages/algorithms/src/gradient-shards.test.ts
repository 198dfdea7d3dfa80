/** Shards add up to the gradient of all rows, in their own order. */
import { promptOf, Random, type GradientRow } from '@emac/core';
import { imitationLoss } from '@emac/losses';
import { bagOfWords, blank, commands } from '@emac/testing';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gradientInShards, oneByOne, shardsOf } from './gradient-shards.ts';

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

  it('of nothing are one, which is empty', () => {
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
      // a central difference is off by its step squared times a third derivative, which is below 1 for each row
      expect(gradients.get('bias')![place]).toBeCloseTo(slope, 2);
    }
  });

  it('adds in float32, in the order of the shards, and leaves what it was given as it was', async () => {
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
