import { EmacError, Random } from '@emac/core';
import type { Features } from '@emac/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FeatureStore } from './feature-store.ts';
import { fromRecords, toRecords } from './records.ts';
import { createImitationBuffer, createPreferenceBuffer } from './replay-buffer.ts';
import type { ImitationBuffer } from './replay-buffer.ts';
import { sampleIndices } from './sample.ts';
import type { ImitationTransition, PreferenceTransition } from './transition.ts';

const featuresOf = (key: string): Features => ({ key, data: Float32Array.of(key.length, 0.5, -2) });

function transition(step: number, featuresKey = 'f', round = 0): ImitationTransition {
  return { gameId: 'task/trial', round, episode: 0, step, text: `t${step}`, featuresKey, target: `a${step}` };
}

function fill(buffer: ImitationBuffer, keys: readonly string[], first = 0): void {
  keys.forEach((key, index) => buffer.append(transition(first + index, key), featuresOf(key)));
}

const steps = (buffer: ImitationBuffer) => Array.from({ length: buffer.length }, (_, i) => buffer.at(i).step);
const contents = (buffer: ImitationBuffer) =>
  Array.from({ length: buffer.length }, (_, index) => {
    const held = buffer.at(index);
    return { held, data: [...buffer.features.read(held.featuresKey).data] };
  });

describe('a replay buffer', () => {
  it('keeps the order of appends and, when full, loses the oldest', () => {
    const buffer = createImitationBuffer({ capacity: 3 });
    fill(buffer, ['f', 'f']);
    expect([steps(buffer), buffer.length, buffer.appended]).toEqual([[0, 1], 2, 2]);
    fill(buffer, ['f', 'f', 'f'], 2);
    expect([steps(buffer), buffer.length, buffer.appended]).toEqual([[2, 3, 4], 3, 5]);
    expect(() => buffer.at(3)).toThrow(EmacError);
    expect(() => buffer.at(-1)).toThrow(EmacError);
  });

  it('keeps equal features once, and no longer than a transition uses them', () => {
    const buffer = createImitationBuffer({ capacity: 2 });
    fill(buffer, ['x', 'x', 'x']);
    expect(buffer.features.size).toBe(1);
    fill(buffer, ['y'], 3);
    expect([buffer.features.has('x'), buffer.features.has('y')]).toEqual([true, true]);
    fill(buffer, ['z'], 4);
    expect([buffer.features.has('x'), buffer.features.size]).toEqual([false, 2]);
  });

  it('keeps shared features until both buffers have let go', () => {
    const features = new FeatureStore();
    const first = createImitationBuffer({ capacity: 1, features });
    const second = createImitationBuffer({ capacity: 1, features });
    fill(first, ['x']);
    fill(second, ['x']);
    fill(first, ['y']);
    expect(features.has('x')).toBe(true);
    fill(second, ['y']);
    expect(features.has('x')).toBe(false);
  });

  it('refuses features of another key and a capacity that is none', () => {
    const buffer = createImitationBuffer();
    expect(buffer.capacity).toBe(100_000);
    expect(() => buffer.append(transition(0, 'x'), featuresOf('y'))).toThrow(EmacError);
    expect(() => createImitationBuffer({ capacity: 0 })).toThrow(EmacError);
  });

  it('gives features back exactly once they were rounded to float16', () => {
    // 0.1 is not a float16: the nearest is 1638 · 2⁻¹⁴ = 0.0999755859375; the others are exact
    const store = new FeatureStore();
    store.hold({ key: 'k', data: Float32Array.of(0.1, 1, -0.0999755859375) });
    expect([...store.read('k').data]).toEqual([0.0999755859375, 1, -0.0999755859375]);
  });
});

describe('sampling', () => {
  it('still draws what round 0 brought in round 1', () => {
    const buffer = createImitationBuffer();
    for (let step = 0; step < 10; step++) buffer.append(transition(step, 'f', 0), featuresOf('f'));
    for (let step = 0; step < 10; step++) buffer.append(transition(step, 'f', 1), featuresOf('f'));
    const drawn = buffer.sample(2000, Random.fromSeed(1));
    const ofRoundZero = drawn.filter(({ round }) => round === 0).length;
    // binomial(2000, ½): standard deviation 22.4; four of them
    expect(Math.abs(ofRoundZero - 1000)).toBeLessThan(90);
    expect(new Set(drawn).size).toBe(20);
  });

  it('depends on the generator alone', () => {
    const buffer = createImitationBuffer();
    fill(buffer, Array<string>(50).fill('f'));
    const draw = (seed: number) => buffer.sample(20, Random.fromSeed(seed)).map(({ step }) => step);
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
  });

  it('without replacement takes no index twice, and all of them when asked for all', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 60 }), fc.nat(60), fc.nat(), (length, wanted, seed) => {
        const count = Math.min(length, wanted);
        const options = { replacement: false };
        const indices = sampleIndices({ length, count }, Random.fromSeed(seed), options);
        expect(new Set(indices).size).toBe(count);
        expect(indices.every((index) => index >= 0 && index < length)).toBe(true);
      }),
    );
    expect(() =>
      sampleIndices({ length: 2, count: 3 }, Random.fromSeed(0), { replacement: false }),
    ).toThrow();
    expect(() => createImitationBuffer().sample(1, Random.fromSeed(0))).toThrow(/empty/);
  });

  it('without replacement gives every place every index equally often', () => {
    const random = Random.fromSeed(3);
    const counts = [0, 0, 0, 0];
    for (let trial = 0; trial < 4000; trial++)
      counts[sampleIndices({ length: 4, count: 2 }, random, { replacement: false })[1]!]!++;
    // binomial(4000, ¼): standard deviation 27.4; five of them
    for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(137);
  });
});

describe('preference pairs', () => {
  const pair = (chosen: string, rejected: string): PreferenceTransition => {
    const { target: _, ...origin } = transition(0);
    return { ...origin, chosen, rejected, referenceChosen: -0.25, referenceRejected: -3, referenceHash: 'h' };
  };

  it('with equal answers are dropped unless asked for', () => {
    const dropping = createPreferenceBuffer();
    expect(dropping.append(pair('look', 'look'), featuresOf('f'))).toBe(false);
    expect(dropping.append(pair('look', 'go to shelf 1'), featuresOf('f'))).toBe(true);
    expect([dropping.length, dropping.appended]).toEqual([1, 1]);
    const keeping = createPreferenceBuffer({ equalPairs: 'keep' });
    expect(keeping.append(pair('look', 'look'), featuresOf('f'))).toBe(true);
  });

  it('come back from records with their reference log-probabilities', () => {
    const buffer = createPreferenceBuffer();
    buffer.append(pair('look', 'inventory'), featuresOf('f'));
    const restored = createPreferenceBuffer();
    fromRecords(restored, toRecords(buffer));
    expect(restored.at(0)).toEqual(buffer.at(0));
  });
});

describe('records', () => {
  const keys = fc.array(fc.constantFrom('a', 'bb', 'ccc', 'dddd'), { maxLength: 25 });

  it('appended chunk by chunk give the same buffer as one that was never stored', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), fc.array(keys, { maxLength: 5 }), (capacity, chunks) => {
        const buffer = createImitationBuffer({ capacity });
        const file: Uint8Array[] = [];
        for (const chunk of chunks) {
          const since = buffer.appended;
          fill(buffer, chunk, since);
          file.push(...toRecords(buffer, since));
        }
        const restored = createImitationBuffer({ capacity });
        fromRecords(restored, file);
        expect(contents(restored)).toEqual(contents(buffer));
        expect(restored.features.size).toBe(buffer.features.size);
        const copy = createImitationBuffer({ capacity });
        fromRecords(copy, toRecords(buffer));
        expect(contents(copy)).toEqual(contents(buffer));
        expect([...toRecords(copy)]).toEqual([...toRecords(buffer)]);
      }),
      { numRuns: 300 },
    );
  });

  it('hold features once, however often they are used', () => {
    const buffer = createImitationBuffer();
    fill(buffer, ['a', 'a', 'bb', 'a']);
    expect([...toRecords(buffer)]).toHaveLength(6);
    const since = buffer.appended;
    fill(buffer, ['a', 'bb', 'ccc'], since);
    expect([...toRecords(buffer, since)]).toHaveLength(4);
  });

  it('that are damaged are refused with their number', () => {
    const buffer = createImitationBuffer();
    fill(buffer, ['a', 'bb']);
    const records = [...toRecords(buffer)];
    expect(() => fromRecords(createImitationBuffer(), records.slice(1))).toThrow(
      /record 0: uses the features a/,
    );
    const broken = [records[0]!, Uint8Array.of(0x80)];
    expect(() => fromRecords(createImitationBuffer(), broken)).toThrow(/record 1: is neither/);
  });
});
