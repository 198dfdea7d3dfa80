import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NumpyRandom } from './numpy-random.ts';

const times = <T>(count: number, draw: () => T): T[] => Array.from({ length: count }, draw);
const digits = (text: string) => [...text].map(Number);

describe('the stream of numpy 2.4.6', () => {
  it("starts in numpy's state", () => {
    expect(NumpyRandom.fromSeed(0).state()).toEqual({
      state: '35399562948360463058890781895381311971',
      increment: '87136372517582989555478159403783844777',
      kept: null,
    });
  });

  it('has these 64-bit draws, then 32-bit draws from their lower halves on', () => {
    const random = NumpyRandom.fromSeed(0);
    const hex = times(4, () => random.uint64().toString(16).padStart(16, '0'));
    expect(hex).toEqual(['a30febcfd9c2825f', '4510bdf882d9d721', '0a7d3da94ecde8b8', '043b27b61342f01d']);
    const halves = NumpyRandom.fromSeed(0);
    expect(times(3, () => halves.uint32())).toEqual([0xd9c2825f, 0xa30febcf, 0x82d9d721]);
  });

  it.each([
    [0, '8652300018'],
    [1, '4579018923'],
    [42, '0764480620'],
    [123, '0650922131'],
  ])('has these integers below 10 after seed %i', (seed, drawn) => {
    const random = NumpyRandom.fromSeed(seed);
    expect(times(10, () => random.integers(0, 10))).toEqual(digits(drawn));
  });

  it.each([
    [0, '322110000323'],
    [1, '123300330131'],
    [42, '032113020023'],
    [123, '022030101013'],
  ])('has these integers below 4 after seed %i', (seed, drawn) => {
    const random = NumpyRandom.fromSeed(seed);
    expect(times(12, () => random.integers(0, 4))).toEqual(digits(drawn));
  });

  it.each([
    [0, [10, 9, 7, 4, 5, 1, 1, 1, 3, 10]],
    [1, [7, 7, 10, 10, 1, 2, 10, 10, 4, 5]],
    [42, [2, 10, 9, 6, 6, 10, 2, 10, 3, 2]],
    [123, [1, 9, 8, 1, 10, 3, 4, 3, 5, 3]],
  ])('has these choices from a deck after seed %i', (seed, drawn) => {
    const deck = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 10, 10, 10];
    const random = NumpyRandom.fromSeed(seed);
    expect(times(10, () => random.choice(deck))).toEqual(drawn);
  });

  it.each([
    [0, [0.6369616873214543, 0.2697867137638703, 0.04097352393619469]],
    [1, [0.5118216247002567, 0.9504636963259353, 0.14415961271963373]],
    [42, [0.7739560485559633, 0.4388784397520523, 0.8585979199113825]],
    [123, [0.6823518632481435, 0.053821018802222675, 0.22035987277261138]],
  ])('has these numbers in [0, 1) after seed %i', (seed, drawn) => {
    const random = NumpyRandom.fromSeed(seed);
    expect(times(3, () => random.random())).toEqual(drawn);
  });

  it.each([
    [2n ** 32n, [522, 889, 992, 557, 302, 800], 0.9565138174753386],
    [2n ** 53n, [20, 280, 985, 977, 789, 851], 0.5898509883095221],
    [2n ** 64n - 1n, [547, 680, 950, 845, 358, 7], 0.8945681264391473],
    [123456789012345678901234567890n, [177, 345, 895, 335, 91, 150], 0.9170506721453346],
    [2n ** 130n + 7n, [801, 858, 107, 572, 658, 515], 0.8271273440755569],
    [2n ** 300n + 12345n, [325, 842, 572, 30, 180, 951], 0.1020239692841507],
  ])('has these draws after the long seed %i', (seed, integers, uniform) => {
    const random = NumpyRandom.fromSeed(seed);
    expect(times(6, () => random.integers(0, 1000))).toEqual(integers);
    expect(random.random()).toBe(uniform);
  });

  it.each([
    [0, [9, 2, 7, 4, 5, 11, 0, 3, 6, 10, 8, 1], 27],
    [1, [8, 11, 4, 7, 5, 0, 1, 9, 2, 10, 6, 3], 25],
    [2, [2, 0, 9, 10, 11, 7, 5, 6, 3, 4, 8, 1], 88],
    [3, [11, 7, 2, 10, 0, 1, 4, 6, 9, 5, 3, 8], 26],
  ])('shuffles twelve like this after seed %i, and continues', (seed, order, next) => {
    const random = NumpyRandom.fromSeed(seed);
    expect(random.shuffle([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])).toEqual(order);
    expect(random.integers(0, 100)).toBe(next);
  });

  // per seed: three draws from each of six ranges (six of the fourth, where half of the draws may be rejected), then one below 7
  const wide: [number, [number, number], number[]][][] = [
    [
      [3, [0, 2 ** 32], [3653403231, 2735729615, 2195314465]],
      [3, [0, 2 ** 32 - 5], [1158725110, 1322117302, 175979944]],
      [3, [-5, 2 ** 40], [18172327438, 894200084523, 1003585370533]],
      [6, [0, 3 * 2 ** 30], [1622296031, 1954110612, 3126981555, 2349872903, 2036686799, 1751138669]],
      [3, [0, 2 ** 53 - 1], [8422383638670039, 7348555524661254, 24666216691666]],
      [3, [0, 5e15], [4287021382937847, 167927876527322, 3648277232149720]],
      [1, [0, 7], [5]],
    ],
    [
      [3, [0, 2 ** 32], [2032329983, 2198257139, 3243419750]],
      [3, [0, 2 ** 32 - 5], [4082210486, 149690572, 619160821]],
      [3, [-5, 2 ** 40], [1043051097810, 342862307388, 465452352987]],
      [6, [0, 3 * 2 ** 30], [2666216678, 827829271, 2073918367, 1770365185, 276185545, 88774117]],
      [3, [0, 2 ** 53 - 1], [6787042710893285, 4847164049772531, 2969959271115090]],
      [3, [0, 5e15], [3942143517142021, 1515974146458225, 2267489447403257]],
      [1, [0, 7], [6]],
    ],
  ];
  it.each([...wide.entries()])('has these integers of wide ranges after seed %i', (seed, draws) => {
    const random = NumpyRandom.fromSeed(seed);
    for (const [count, [low, high], drawn] of draws)
      expect(times(count, () => random.integers(low, high))).toEqual(drawn);
  });
});

describe('integers', () => {
  it('draw nothing for a range of one', () => {
    const random = NumpyRandom.fromSeed(5);
    expect(random.integers(7, 8)).toBe(7);
    expect(random.state()).toEqual(NumpyRandom.fromSeed(5).state());
  });

  it.each([
    [3, 3],
    [4, 3],
    [0.5, 2],
    [0, 2 ** 54],
  ])('reject the range from %d to %d', (low, high) => {
    expect(() => NumpyRandom.fromSeed(0).integers(low, high)).toThrow(/low < high/);
  });
});

describe('a seed', () => {
  it.each([-1, 1.5, 2 ** 53, -1n])('of %s is rejected', (seed) => {
    expect(() => NumpyRandom.fromSeed(seed)).toThrow(/whole number from 0/);
  });
});

describe('a restored generator', () => {
  const draws = (random: NumpyRandom, kinds: readonly number[]) =>
    kinds.map((kind) => [random.integers(0, kind), random.random(), random.uint32()][kind % 3]!);

  it('continues as the original, also between the halves of a draw', () => {
    const kinds = fc.array(fc.integer({ min: 2, max: 1000 }), { maxLength: 20 });
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 1n << 200n }), kinds, kinds, (seed, before, after) => {
        const random = NumpyRandom.fromSeed(seed);
        draws(random, before);
        const again = NumpyRandom.restore(JSON.parse(JSON.stringify(random.state())));
        expect(draws(again, after)).toEqual(draws(random, after));
      }),
    );
  });

  it.each([
    { state: '-1', increment: '1', kept: null },
    { state: String(1n << 128n), increment: '1', kept: null },
    { state: '1', increment: '2', kept: null },
    { state: '1', increment: '1', kept: 2 ** 32 },
  ])('needs a valid state: $state, $increment, $kept', (state) => {
    expect(() => NumpyRandom.restore(state)).toThrow(/odd increment/);
  });
});

describe('the state', () => {
  it('follows the definition with 128-bit numbers, for any state and increment', () => {
    const bits = fc.bigInt({ min: 0n, max: (1n << 128n) - 1n });
    fc.assert(
      fc.property(bits, bits, (state, stream) => {
        const increment = BigInt.asUintN(128, (stream << 1n) | 1n);
        const random = NumpyRandom.restore({
          state: String(state),
          increment: String(increment),
          kept: null,
        });
        const next = BigInt.asUintN(128, state * 0x2360ed051fc65da44385df649fccf645n + increment);
        const folded = (next >> 64n) ^ BigInt.asUintN(64, next);
        const rotation = next >> 122n;
        const rotated = (folded >> rotation) | BigInt.asUintN(64, folded << (64n - rotation));
        expect(random.uint64()).toBe(rotated);
        expect(random.state().state).toBe(String(next));
      }),
    );
  });
});
