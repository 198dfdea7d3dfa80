import type { Frame } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { featuresCache } from './features-cache.ts';

const frame = (...bytes: number[]): Frame => ({
  width: bytes.length / 3,
  height: 1,
  data: Uint8Array.from(bytes),
});

function counted(options: { limit?: number; fail?: () => boolean } = {}) {
  const seen: Frame[] = [];
  const compute = async (each: Frame) => {
    seen.push(each);
    await Promise.resolve();
    if (options.fail?.()) throw new Error('no luck');
    return Float32Array.of(each.data[0]! + 0.1);
  };
  const { limit } = options;
  return { seen, features: featuresCache({ identity: 'm', compute, ...(limit ? { limit } : {}) }) };
}

describe('featuresCache', () => {
  it('computes equal frames once, also when they are asked for at the same time', async () => {
    const { seen, features } = counted();
    const [first, second] = await Promise.all([features(frame(1, 2, 3)), features(frame(1, 2, 3))]);
    expect(await features(frame(1, 2, 3))).toBe(first);
    expect(second).toBe(first);
    expect(seen).toHaveLength(1);
    const other = await features(frame(1, 2, 4));
    expect(other.key).not.toBe(first.key);
    expect(seen).toHaveLength(2);
  });

  it('tells frames of equal bytes and other sizes, and models, apart', async () => {
    const { features } = counted();
    const data = Uint8Array.of(1, 2, 3, 4, 5, 6);
    const wide = await features({ width: 2, height: 1, data });
    const high = await features({ width: 1, height: 2, data });
    const compute = () => Promise.resolve(Float32Array.of(0));
    const elsewhere = await featuresCache({ identity: 'n', compute })({ width: 2, height: 1, data });
    expect(new Set([wide.key, high.key, elsewhere.key]).size).toBe(3);
  });

  it('rounds to the nearest float16', async () => {
    const { features } = counted();
    // between 1 and 2 a float16 is a multiple of 1/1024; 1.1 · 1024 = 1126.4
    expect((await features(frame(1, 0, 0))).data).toEqual(Float32Array.of(1126 / 1024));
  });

  it('forgets the frame that was not used for longest, and failures at once', async () => {
    const { seen, features } = counted({ limit: 2 });
    const [a, b, c] = [frame(1, 0, 0), frame(2, 0, 0), frame(3, 0, 0)];
    for (const each of [a, b, a, c, a, b]) await features(each);
    expect(seen).toEqual([a, b, c, b]);
    let failures = 0;
    const failing = counted({ fail: () => failures++ === 0 });
    await expect(failing.features(a)).rejects.toThrow('no luck');
    expect((await failing.features(a)).data).toHaveLength(1);
  });
});
