import { describe, expect, it } from 'vitest';
import { MersenneTwister } from './mersenne-twister.ts';

/**
 * Python 3.11's `random`: seed, two of random(), randrange() of 1, 4, 5, 6, 1000 and 2³¹, a sample of range(5), a choice of three, getrandbits(32).
 * The seeds are of one, two and three words.
 */
const python: readonly (readonly [
  bigint,
  readonly number[],
  readonly number[],
  readonly [number, number],
  number,
])[] = [
  [0n, [0.8444218515250481, 0.7579544029403025], [0, 0, 2, 4, 497, 1739178872], [2, 8], 1537810351],
  [1n, [0.13436424411240122, 0.8474337369372327], [0, 2, 0, 3, 779, 1930549411], [3, 9], 1630434966],
  [42n, [0.6394267984578837, 0.025010755222666936], [0, 1, 1, 1, 754, 440213415], [4, 7], 2536146025],
  [
    2n ** 32n - 1n,
    [0.6353574441341173, 0.20319993954407756],
    [0, 2, 3, 5, 705, 1201118819],
    [2, 8],
    1762836277,
  ],
  [
    2n ** 32n + 5n,
    [0.15727238718789782, 0.2824866316461999],
    [0, 2, 1, 5, 997, 2129333703],
    [2, 7],
    1351978680,
  ],
  [
    2n ** 70n + 3n,
    [0.16339507200642456, 0.9974755625541745],
    [0, 2, 1, 0, 371, 193999065],
    [2, 9],
    963132560,
  ],
];

/** numpy 2.4's `numpy.random.randint` of 1, 2, 14, 15, 1000 and 2³¹ − 1 after `numpy.random.seed`. */
const numpy: readonly (readonly [number, readonly number[]])[] = [
  [0, [0, 0, 5, 0, 835, 1537364731]],
  [1, [0, 1, 11, 12, 72, 491263]],
  [42, [0, 0, 3, 12, 270, 996406378]],
  [2 ** 32 - 1, [0, 1, 2, 12, 71, 1241397172]],
];

describe('the Mersenne Twister', () => {
  it.each(python)("draws as Python's random after seed %s", (seed, reals, below, [sampled, chosen], bits) => {
    const random = MersenneTwister.fromPythonSeed(seed);
    expect([random.random(), random.random()]).toEqual(reals);
    expect([1, 4, 5, 6, 1000, 2 ** 31].map((count) => random.pythonBelow(count))).toEqual(below);
    expect([random.pythonBelow(5), 7 + random.pythonBelow(3)]).toEqual([sampled, chosen]);
    expect(random.uint32()).toBe(bits);
  });

  it.each(numpy)("draws as numpy's randint after seed %i", (seed, drawn) => {
    const random = MersenneTwister.fromNumpySeed(seed);
    expect([1, 2, 14, 15, 1000, 2 ** 31 - 1].map((count) => random.numpyBelow(count))).toEqual(drawn);
  });

  it('does so beyond its 624 words, too', () => {
    // getrandbits(32) and randint(16), each for the 2,000th time
    const [one, other] = [MersenneTwister.fromPythonSeed(3), MersenneTwister.fromNumpySeed(3)];
    for (let count = 0; count < 1999; count++) {
      one.uint32();
      other.numpyBelow(16);
    }
    expect([one.uint32(), other.numpyBelow(16)]).toEqual([3607542163, 6]);
  });

  it('refuses seeds that are no whole numbers from 0', () => {
    for (const seed of [-1, 0.5, -1n]) {
      expect(() => MersenneTwister.fromPythonSeed(seed)).toThrow(`whole number from 0, got ${seed}`);
      expect(() => MersenneTwister.fromNumpySeed(seed)).toThrow(`whole number from 0, got ${seed}`);
    }
  });
});
