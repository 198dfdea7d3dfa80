import { Random } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { gameShares, samples, type Sample } from './samples.ts';

function first(count: number, name: string): Sample[] {
  const stream = samples(Random.fromSeed(name));
  return Array.from({ length: count }, () => stream.next().value);
}

describe('samples', () => {
  const drawn = first(400, 'a');

  it('depend on the name', () => {
    const texts = (some: readonly Sample[]) => some.map(({ answer }) => answer);
    expect(texts(first(40, 'a'))).toEqual(texts(drawn.slice(0, 40)));
    expect(texts(first(40, 'b'))).not.toEqual(texts(drawn.slice(0, 40)));
  });

  it('are of every game by its share', () => {
    for (const [id, share] of gameShares) {
      const found = drawn.filter((sample) => sample.id === id).length / drawn.length;
      expect(Math.abs(found - share), id).toBeLessThan(0.08);
    }
  });

  it('are of the named games alone, as many of each', () => {
    const some = ['gym_cards/EZPoints-v0', 'MiniGrid-DoorKey-6x6-v0'];
    const stream = samples(Random.fromSeed('a'), some);
    const ids = Array.from({ length: 200 }, () => stream.next().value.id);
    expect([...new Set(ids)].sort()).toEqual([...some].sort());
    // an episode of DoorKey gives at most forty samples at once
    expect(Math.abs(ids.filter((id) => id === some[0]).length - 100)).toBeLessThanOrEqual(20);
  });

  it('read the frame alike with and without a conclusion, and are valid JSON', () => {
    for (const { answer, reading, careful } of drawn) {
      expect(JSON.parse(answer)).toHaveProperty('action');
      if (careful === null) continue;
      expect(answer.startsWith(reading.slice(0, reading.indexOf('", "action"')))).toBe(true);
      expect([0.1, 0.25, 0.4]).toContain(careful);
    }
  });
});
