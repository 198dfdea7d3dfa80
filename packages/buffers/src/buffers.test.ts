import { EmacError, Random } from '@emac/core';
import { float32ToFloat16, pack } from '@emac/files';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FeatureStore } from './feature-store.ts';
import { fromRecords, toRecords } from './records.ts';
import { createImitationBuffer, createPreferenceBuffer } from './replay-buffer.ts';
import type { ImitationBuffer } from './replay-buffer.ts';
import { sampleIndices } from './sample.ts';
import { featuresOf, heldBy, label, mixed, pair } from './transitions.test.fixture.ts';

/** One label per entry; an entry's letters are the keys of its pictures. */
function fill(buffer: ImitationBuffer, entries: readonly string[], first = 0): void {
  entries.forEach((keys, index) => buffer.append(label(first + index, [...keys])));
}

const steps = (buffer: ImitationBuffer) => heldBy(buffer).map(({ step }) => step);

describe('a replay buffer', () => {
  it('keeps the order of appends and, when full, evicts the oldest', () => {
    const buffer = createImitationBuffer({ capacity: 3 });
    fill(buffer, ['f', 'f']);
    expect([steps(buffer), buffer.length, buffer.appended]).toEqual([[0, 1], 2, 2]);
    fill(buffer, ['f', 'f', 'f'], 2);
    expect([steps(buffer), buffer.length, buffer.appended]).toEqual([[2, 3, 4], 3, 5]);
    expect(() => buffer.at(3)).toThrow(EmacError);
    expect(() => buffer.at(-1)).toThrow(EmacError);
  });

  it('stores equal features once, and only while a transition uses them', () => {
    const buffer = createImitationBuffer({ capacity: 2 });
    fill(buffer, ['x', 'x', 'x']);
    expect(buffer.features.size).toBe(1);
    fill(buffer, ['y'], 3);
    expect([buffer.features.has('x'), buffer.features.has('y')]).toEqual([true, true]);
    fill(buffer, ['z'], 4);
    expect([buffer.features.has('x'), buffer.features.size]).toEqual([false, 2]);
  });

  it('keeps shared features until both buffers have released them', () => {
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

  it('keeps each picture of a prompt while a transition shows it, however often', () => {
    const buffer = createImitationBuffer({ capacity: 2 });
    const keys = () => ['x', 'y', 'z'].filter((key) => buffer.features.has(key));
    fill(buffer, ['xyx']);
    expect(keys()).toEqual(['x', 'y']);
    fill(buffer, ['x', 'zz'], 1);
    // y is evicted with the first; the second still uses x
    expect(keys()).toEqual(['x', 'z']);
    fill(buffer, ['z'], 3);
    expect(keys()).toEqual(['z']);
    fill(buffer, ['', ''], 4);
    expect(buffer.features.size).toBe(0);
  });

  it('restores prompts of several pictures, texts and arrays, and answers in ids', () => {
    const buffer = createImitationBuffer();
    buffer.append(mixed(3));
    expect(buffer.at(0)).toStrictEqual(mixed(3));
    const { prompt, ...rest } = buffer.keyedAt(0);
    expect(rest).toEqual({ taskId: 'task/trial', round: 1, episode: 2, step: 3, answer: [17, 4, 2] });
    expect(prompt.slice(0, 3)).toEqual([
      { kind: 'image', key: 'left' },
      { kind: 'text', text: 'before' },
      { kind: 'image', key: 'ri' },
    ]);
  });

  it('copies arrays, so the environment may reuse its own', () => {
    const buffer = createImitationBuffer();
    const data = Float32Array.of(1, 2);
    const features = featuresOf('f');
    const prompt = [
      { kind: 'array', name: 'joints', values: { shape: [2], data } },
      { kind: 'image', features },
    ] as const;
    buffer.append({ ...label(0), prompt });
    data.fill(9);
    features.data.fill(9);
    expect(buffer.at(0).prompt).toEqual([
      { kind: 'array', name: 'joints', values: { shape: [2], data: Float32Array.of(1, 2) } },
      { kind: 'image', features: featuresOf('f') },
    ]);
  });

  it('rejects a capacity that is not a positive integer', () => {
    expect(createImitationBuffer().capacity).toBe(100_000);
    expect(() => createImitationBuffer({ capacity: 0 })).toThrow(EmacError);
  });

  it('restores features exactly once they are rounded to float16', () => {
    // 0.1 is not a float16: the nearest is 1638 · 2⁻¹⁴ = 0.0999755859375; the others are exact
    const buffer = createImitationBuffer();
    const features = { key: 'k', data: Float32Array.of(0.1, 1, -0.0999755859375) };
    buffer.append({ ...label(0), prompt: [{ kind: 'image', features }] });
    expect([...buffer.features.read('k').data]).toEqual([0.0999755859375, 1, -0.0999755859375]);
    const rounded = { key: 'k', data: Float32Array.of(0.0999755859375, 1, -0.0999755859375) };
    expect(buffer.at(0).prompt).toEqual([{ kind: 'image', features: rounded }]);
  });
});

describe('sampling', () => {
  it("still draws round 0's transitions in round 1", () => {
    const buffer = createImitationBuffer();
    for (let step = 0; step < 10; step++) buffer.append(label(step, ['f'], 0));
    for (let step = 0; step < 10; step++) buffer.append(label(step, ['f'], 1));
    const drawn = buffer.sample(2000, Random.fromSeed(1));
    const ofRoundZero = drawn.filter(({ round }) => round === 0).length;
    // binomial(2000, ½): standard deviation 22.4; four of them
    expect(Math.abs(ofRoundZero - 1000)).toBeLessThan(90);
    expect(new Set(drawn.map(({ round, step }) => `${round} ${step}`)).size).toBe(20);
  });

  it('depends on the generator alone', () => {
    const buffer = createImitationBuffer();
    fill(buffer, Array<string>(50).fill('f'));
    const draw = (seed: number) => buffer.sample(20, Random.fromSeed(seed)).map(({ step }) => step);
    expect(draw(7)).toEqual(draw(7));
    expect(draw(7)).not.toEqual(draw(8));
  });

  it('without replacement takes no index twice, and all of them if all are requested', () => {
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

  it('without replacement gives every position every index equally often', () => {
    const random = Random.fromSeed(3);
    const counts = [0, 0, 0, 0];
    for (let trial = 0; trial < 4000; trial++)
      counts[sampleIndices({ length: 4, count: 2 }, random, { replacement: false })[1]!]!++;
    // binomial(4000, ¼): standard deviation 27.4; five of them
    for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(137);
  });
});

describe('preference pairs', () => {
  it('with equal answers are dropped by default', () => {
    const dropping = createPreferenceBuffer();
    expect(dropping.append(pair('look', 'look'))).toBe(false);
    expect(dropping.append(pair([5, 2], [5, 2]))).toBe(false);
    expect(dropping.append(pair('look', 'go to shelf 1'))).toBe(true);
    expect(dropping.append(pair([5, 2], [5, 2, 2]))).toBe(true);
    expect(dropping.append(pair('5,2', [5, 2]))).toBe(true);
    expect([dropping.length, dropping.appended]).toEqual([3, 3]);
    const keeping = createPreferenceBuffer({ equalPairs: 'keep' });
    expect(keeping.append(pair([5, 2], [5, 2]))).toBe(true);
  });

  it("are restored from records with the reference's log-probabilities, if it was asked", () => {
    const buffer = createPreferenceBuffer();
    const pairs = [
      pair('look', 'inventory'),
      { ...pair([7, 2], [9, 2]), reference: null },
      { ...pair('look', [9, 2]), reference: { chosen: -0.5, rejected: -1 / 3, hash: null } },
    ];
    for (const each of pairs) buffer.append(each);
    const restored = createPreferenceBuffer();
    fromRecords(restored, toRecords(buffer));
    expect(heldBy(restored)).toStrictEqual(pairs);
  });
});

describe('records', () => {
  const shown = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 4 }).map((keys) => keys.join(''));
  const entries = fc.array(shown, { maxLength: 25 });

  it('appended chunk by chunk give the same buffer as one that was never stored', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 6 }), fc.array(entries, { maxLength: 5 }), (capacity, chunks) => {
        const buffer = createImitationBuffer({ capacity });
        const file: Uint8Array[] = [];
        for (const chunk of chunks) {
          const since = buffer.appended;
          fill(buffer, chunk, since);
          file.push(...toRecords(buffer, since));
        }
        const restored = createImitationBuffer({ capacity });
        fromRecords(restored, file);
        expect(heldBy(restored)).toEqual(heldBy(buffer));
        expect(restored.features.size).toBe(buffer.features.size);
        const copy = createImitationBuffer({ capacity });
        fromRecords(copy, toRecords(buffer));
        expect(heldBy(copy)).toEqual(heldBy(buffer));
        expect([...toRecords(copy)]).toEqual([...toRecords(buffer)]);
      }),
      { numRuns: 300 },
    );
  });

  it('store features once, however often they are used', () => {
    const buffer = createImitationBuffer();
    fill(buffer, ['a', 'aba', 'b', 'a']);
    // two pictures, four transitions
    expect([...toRecords(buffer)]).toHaveLength(6);
    const since = buffer.appended;
    fill(buffer, ['a', 'b', 'cab'], since);
    expect([...toRecords(buffer, since)]).toHaveLength(4);
  });

  it('carry arrays and ids without loss', () => {
    const buffer = createImitationBuffer();
    buffer.append(mixed(0));
    buffer.append(mixed(1));
    const restored = createImitationBuffer();
    fromRecords(restored, toRecords(buffer));
    expect(heldBy(restored)).toStrictEqual([mixed(0), mixed(1)]);
  });

  it('of equal transitions are equal bytes, in any order of their fields', () => {
    const backwards = <T extends object>(value: T): T =>
      Object.fromEntries(Object.entries(value).reverse()) as T;
    const labels = [createImitationBuffer(), createImitationBuffer()] as const;
    labels[0].append(mixed(0));
    labels[1].append({ ...backwards(mixed(0)), prompt: mixed(0).prompt.map(backwards) });
    expect([...toRecords(labels[1])]).toEqual([...toRecords(labels[0])]);
    const pairs = [createPreferenceBuffer(), createPreferenceBuffer()] as const;
    const judged = pair('a', 'b');
    pairs[0].append(judged);
    pairs[1].append({ ...backwards(judged), reference: backwards(judged.reference!) });
    expect([...toRecords(pairs[1])]).toEqual([...toRecords(pairs[0])]);
  });

  it('with features whose first user was evicted still serve a later one', () => {
    const keeping = createPreferenceBuffer({ equalPairs: 'keep' });
    keeping.append(pair('look', 'look'));
    keeping.append(pair('look', 'inventory'));
    const dropping = createPreferenceBuffer();
    fromRecords(dropping, toRecords(keeping));
    expect(heldBy(dropping)).toEqual([pair('look', 'inventory')]);
  });

  it('that are damaged are rejected with their number', () => {
    const buffer = createImitationBuffer();
    fill(buffer, ['a', 'b']);
    const records = [...toRecords(buffer)];
    expect(() => fromRecords(createImitationBuffer(), records.slice(1))).toThrow(
      'fromRecords, record 0: uses the features a, but no earlier record holds them',
    );
    const broken = [records[0]!, Uint8Array.of(0x80)];
    expect(() => fromRecords(createImitationBuffer(), broken)).toThrow(/record 1: is neither/);
  });

  const good = { ...label(0), prompt: [{ kind: 'text', text: 'look' }] };
  it.each([
    ['a prompt that is a text', { ...good, prompt: 'look' }],
    ['a part of no kind', { ...good, prompt: [{ text: 'look' }] }],
    ['a picture without a key', { ...good, prompt: [{ kind: 'image' }] }],
    ['an array without numbers', { ...good, prompt: [{ kind: 'array', name: 'n', values: [1] }] }],
    ['an answer that is a number', { ...good, answer: 3 }],
    ['an id that is a fraction', { ...good, answer: [1.5] }],
    ['no task', { ...good, taskId: null }],
    ['a step that is a text', { ...good, step: '1' }],
  ])('of a transition with %s are rejected', (_, transition) => {
    const read = (value: object) =>
      fromRecords(createImitationBuffer(), [pack({ format: 2, transition: value })]);
    expect(() => read(transition)).toThrow('record 0: is neither features nor a transition for imitation');
    expect(() => read(good)).not.toThrow();
  });

  it('of the other kind of buffer are rejected', () => {
    const pairs = createPreferenceBuffer();
    pairs.append(pair('look', 'inventory'));
    expect(() => fromRecords(createImitationBuffer(), toRecords(pairs))).toThrow(
      'record 1: is neither features nor a transition for imitation',
    );
  });

  it('of an older or newer version are rejected in one sentence', () => {
    const bits = float32ToFloat16(Float32Array.of(1));
    const transition = {
      episode: 0,
      featuresKey: 'f',
      gameId: 'g',
      round: 0,
      step: 0,
      target: ' look',
      text: 't',
    };
    for (const record of [{ features: 'f', bits }, { transition }])
      expect(() => fromRecords(createImitationBuffer(), [pack(record)])).toThrow(
        expect.objectContaining({
          code: 'data',
          message:
            'fromRecords, record 0: must have format 2, it has the format of an older version; that run can be evaluated but not resumed',
        }),
      );
    expect(() => fromRecords(createImitationBuffer(), [pack({ format: 3, transition })])).toThrow(
      'record 0: must have format 2, it has 3',
    );
  });
});
