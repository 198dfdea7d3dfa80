import type { Frame } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { featuresCache } from './features-cache.ts';

const frame = (...bytes: number[]): Frame => ({
  width: bytes.length / 3,
  height: 1,
  data: Uint8Array.from(bytes),
});

/** The number of features equals the frame's first byte, 4 bytes each. */
function counted(options: { bytes?: number; fail?: () => boolean } = {}) {
  const seen: Frame[] = [];
  const compute = async (each: Frame) => {
    seen.push(each);
    await Promise.resolve();
    if (options.fail?.()) throw new Error('no luck');
    return new Float32Array(each.data[0]!).fill(each.data[0]! + 0.1);
  };
  const { bytes = 2 ** 20 } = options;
  return { seen, features: featuresCache({ identity: 'm', compute, bytes }) };
}

describe('featuresCache', () => {
  it('computes equal frames once, also for concurrent requests', async () => {
    const { seen, features } = counted();
    const [first, second] = await Promise.all([features(frame(1, 2, 3)), features(frame(1, 2, 3))]);
    expect(await features(frame(1, 2, 3))).toBe(first);
    expect(second).toBe(first);
    expect(seen).toHaveLength(1);
    const other = await features(frame(1, 2, 4));
    expect(other.key).not.toBe(first.key);
    expect(seen).toHaveLength(2);
  });

  it('distinguishes frames of equal bytes but other sizes, and models', async () => {
    const { features } = counted();
    const data = Uint8Array.of(1, 2, 3, 4, 5, 6);
    const wide = await features({ width: 2, height: 1, data });
    const high = await features({ width: 1, height: 2, data });
    const compute = () => Promise.resolve(Float32Array.of(0));
    const elsewhere = await featuresCache({ identity: 'n', compute, bytes: 2 ** 20 })({
      width: 2,
      height: 1,
      data,
    });
    expect(new Set([wide.key, high.key, elsewhere.key]).size).toBe(3);
  });

  it('rounds to the nearest float16', async () => {
    const { features } = counted();
    // between 1 and 2 a float16 is a multiple of 1/1024; 1.1 · 1024 = 1126.4
    expect((await features(frame(1, 0, 0))).data).toEqual(Float32Array.of(1126 / 1024));
  });

  it('evicts the least recently used frame when the total is too large', async () => {
    const [small, medium, large] = [frame(1, 0, 0), frame(2, 0, 0), frame(3, 0, 0)];
    const { seen, features } = counted({ bytes: 16 });
    // 4 + 8 bytes fit; 12 more evict the medium one, then the small one stays beside the large one
    for (const each of [small, medium, small, large, small, large]) await features(each);
    expect(seen).toEqual([small, medium, large]);
    await features(medium);
    // 4 + 12 + 8: the small one was used before the large one, and both are evicted
    await features(large);
    expect(seen).toEqual([small, medium, large, medium, large]);
  });

  it('stores nothing with a limit of 0, nor features larger than the limit', async () => {
    for (const bytes of [0, 4]) {
      const { seen, features } = counted({ bytes });
      const each = frame(2, 0, 0);
      await features(each);
      await features(each);
      expect(seen).toEqual([each, each]);
    }
  });

  it('retries a failed computation', async () => {
    let failures = 0;
    const failing = counted({ fail: () => failures++ === 0 });
    await expect(failing.features(frame(1, 0, 0))).rejects.toThrow('no luck');
    expect((await failing.features(frame(1, 0, 0))).data).toHaveLength(1);
  });
});
