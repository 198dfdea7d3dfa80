/**
 * Tests of the random generator. Known answers come from a short Python program written from the published algorithm
 * (sfc32: t = a + b + n, n + 1, a = b ⊕ b≫9, b = c + c≪3, c = rotl(c, 21) + t), not from this code. Statistical tests
 * use fixed seeds, so they never flicker; the stated chance is that of a correct generator failing after a change of
 * seed.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Random, type RandomState } from './random.ts';

const draw = (random: Random, count: number) => Array.from({ length: count }, () => random.uint32());
const seeds = fc.oneof(fc.integer(), fc.string());

describe('Random: known answers', () => {
  it('steps as sfc32 does from a given state', () => {
    // first step by hand: 1 + 2 + 4 = 7; then a = 2, b = 3 + 24 = 27, n = 5: 2 + 27 + 5 = 34
    const random = Random.restore('any', [1, 2, 3, 4]);
    expect(draw(random, 6)).toEqual([7, 34, 56623200, 188882296, 3431242869, 399395954]);
    expect(random.state()).toEqual([1394743453, 3685998991, 1926089571, 10]);
  });

  it.each([
    [0, [1202162729, 98142683, 1805405009, 1858686154]],
    ['0', [1202162729, 98142683, 1805405009, 1858686154]],
    ['0/world', [4113815408, 80926080, 2718224984, 1694928843]],
    ['né', [3901509830, 1167663865, 3312380898, 2433955629]],
  ])('starts from the seed %j as computed elsewhere', (seed, expected) => {
    expect(draw(Random.fromSeed(seed), 4)).toEqual(expected);
  });

  it('makes 53-bit fractions from two words, the high one first', () => {
    // (1202162729≫5 · 2²⁶ + 98142683≫6) / 2⁵³, in Python
    expect(Random.fromSeed(0).uniform()).toBe(0.279900320044537);
  });
});

describe('Random: sequences', () => {
  it('gives equal sequences for equal seeds', () => {
    fc.assert(
      fc.property(seeds, (seed) => {
        expect(draw(Random.fromSeed(seed), 8)).toEqual(draw(Random.fromSeed(seed), 8));
      }),
    );
  });

  it('continues exactly from a saved state, also through JSON', () => {
    fc.assert(
      fc.property(seeds, fc.nat(50), (seed, before) => {
        const random = Random.fromSeed(seed);
        draw(random, before);
        const stored = JSON.parse(JSON.stringify([random.path, random.state()])) as [string, RandomState];
        const restored = Random.restore(...stored);
        expect(draw(restored, 20)).toEqual(draw(random, 20));
        expect(draw(restored.stream('child'), 3)).toEqual(draw(random.stream('child'), 3));
      }),
    );
  });

  it.each([[[1, 2, 3]], [[1, 2, 3, -1]], [[1, 2, 3, 0.5]], [[1, 2, 3, 2 ** 32]], [[1, 2, 3, Number.NaN]]])(
    'rejects the state %j as damaged data',
    (state) => {
      expect(() => Random.restore('any', state as unknown as RandomState)).toThrow(
        expect.objectContaining({ code: 'data' }),
      );
    },
  );
});

describe('Random: streams', () => {
  it('depend on seed and names only, not on previous draws or other streams', () => {
    const fresh = draw(Random.fromSeed(7).stream('world').stream(3), 5);
    const used = Random.fromSeed(7);
    draw(used, 100);
    draw(used.stream('expert'), 10);
    expect(draw(used.stream('world').stream(3), 5)).toEqual(fresh);
    expect(used.stream('world').stream(3).path).toBe('7/world/3');
  });

  it('do not advance their parent', () => {
    const random = Random.fromSeed(7);
    const before = random.state();
    random.stream('world').uniform();
    expect(random.state()).toEqual(before);
  });

  it('do not correlate with their parent, their siblings or neighbouring seeds', () => {
    // correlation of 10,000 independent pairs: standard deviation 0.01; six of them, 3 comparisons: chance < 1e-8
    const parent = Random.fromSeed(1);
    const pairs: [Random, Random][] = [
      [Random.fromSeed(1), parent.stream('a')],
      [parent.stream('a'), parent.stream('b')],
      [Random.fromSeed(1), Random.fromSeed(2)],
    ];
    for (const [left, right] of pairs) {
      let sum = 0;
      for (let i = 0; i < 10_000; i++) sum += 12 * (left.uniform() - 0.5) * (right.uniform() - 0.5);
      expect(Math.abs(sum / 10_000)).toBeLessThan(0.06);
    }
  });
});

describe('Random: distributions', () => {
  it('fills 64 bins evenly by its high bits and by its low bits', () => {
    // χ² with 63 degrees of freedom exceeds 132 with chance 1e-6
    const random = Random.fromSeed('bins');
    const high = new Array<number>(64).fill(0);
    const low = new Array<number>(64).fill(0);
    for (let i = 0; i < 64_000; i++) {
      const word = random.uint32();
      high[word >>> 26]!++;
      low[word & 63]!++;
    }
    const chiSquare = (bins: number[]) => bins.reduce((sum, n) => sum + (n - 1000) ** 2 / 1000, 0);
    expect(chiSquare(high)).toBeLessThan(132);
    expect(chiSquare(low)).toBeLessThan(132);
    // an even count in all 64 bins would be as suspicious: below 19 with chance 1e-7
    expect(Math.min(chiSquare(high), chiSquare(low))).toBeGreaterThan(19);
  });

  it('draws normals of mean 0, variance 1 and kurtosis 3', () => {
    // standard deviations for n = 100,000: √(1/n), √(2/n), √(96/n); five of each: chance 2e-6 in all
    const n = 100_000;
    const random = Random.fromSeed('normals');
    const values = Array.from({ length: n }, () => random.normal());
    const moment = (power: number) => values.reduce((sum, value) => sum + value ** power, 0) / n;
    expect(Math.abs(moment(1))).toBeLessThan(5 * Math.sqrt(1 / n));
    expect(Math.abs(moment(2) - 1)).toBeLessThan(5 * Math.sqrt(2 / n));
    expect(Math.abs(moment(4) - 3)).toBeLessThan(5 * Math.sqrt(96 / n));
  });

  it('draws every integer in [0, count) and no other', () => {
    // 1,000 draws miss one of 8 values with chance 8 · (7/8)^1000 < 1e-56
    const random = Random.fromSeed('integers');
    const seen = new Set(Array.from({ length: 1000 }, () => random.integer(8)));
    expect([...seen].sort()).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    fc.assert(
      fc.property(seeds, fc.integer({ min: 1, max: 2 ** 40 }), (seed, count) => {
        const value = Random.fromSeed(seed).integer(count);
        expect(Number.isInteger(value) && value >= 0 && value < count).toBe(true);
      }),
    );
  });

  it('picks indexes in proportion to their weights, never one of weight 0', () => {
    // shares of 30,000 draws: standard deviation < 0.0029; six of them: chance < 1e-8
    const random = Random.fromSeed('weights');
    const counts = [0, 0, 0, 0];
    for (let i = 0; i < 30_000; i++) counts[random.weightedIndex([1, 0, 2, 3])]!++;
    const shares = counts.map((count) => count / 30_000);
    expect(shares[1]).toBe(0);
    for (const [index, expected] of [1 / 6, 0, 2 / 6, 3 / 6].entries())
      expect(Math.abs(shares[index]! - expected)).toBeLessThan(0.0175);
  });

  it('produces every order equally often and does not change the list', () => {
    // χ² with 5 degrees of freedom exceeds 36 with chance 1e-6
    const random = Random.fromSeed('orders');
    const list = ['a', 'b', 'c'] as const;
    const counts = new Map<string, number>();
    for (let i = 0; i < 6000; i++) {
      const order = random.shuffle(list).join('');
      counts.set(order, (counts.get(order) ?? 0) + 1);
    }
    expect([...counts.keys()].sort()).toEqual(['abc', 'acb', 'bac', 'bca', 'cab', 'cba']);
    expect([...counts.values()].reduce((sum, n) => sum + (n - 1000) ** 2 / 1000, 0)).toBeLessThan(36);
    expect(list).toEqual(['a', 'b', 'c']);
  });

  it('orders numbers as it shuffles their list', () => {
    const list = Array.from({ length: 50 }, (_, number) => number);
    expect([...Random.fromSeed(4).order(50)]).toEqual(Random.fromSeed(4).shuffle(list));
  });

  it.each([
    ['integer of 0', (random: Random) => random.integer(0)],
    ['integer of 1.5', (random: Random) => random.integer(1.5)],
    ['pick from nothing', (random: Random) => random.pick([])],
    ['weights that sum to 0', (random: Random) => random.weightedIndex([0, 0])],
    ['weights that are no numbers', (random: Random) => random.weightedIndex([Number.NaN])],
  ])('rejects: %s', (_case, act) => {
    expect(() => act(Random.fromSeed(0))).toThrow(expect.objectContaining({ code: 'internal' }));
  });
});
