import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { planSlots } from './beam-slots.ts';

describe('beam slots', () => {
  it('keep each continued token once, and free the others', () => {
    // three beams a·b, a·c, d·e in slots 0 (a), 1 (d), 2 (b), 3 (c), 4 (e); the second continues twice, the first once
    const before = [
      [0, 2],
      [0, 3],
      [1, 4],
    ];
    expect(planSlots(before, [1, 0, 1])).toEqual({
      live: [0, 2, 3],
      earlier: [
        [0, 2],
        [0, 1],
        [0, 2],
      ],
    });
  });

  it('start with beams without tokens', () => {
    expect(planSlots([[]], [0, 0])).toEqual({ live: [], earlier: [[], []] });
  });

  const steps = fc.array(
    fc.array(fc.record({ parent: fc.nat(), token: fc.nat(99) }), { minLength: 1, maxLength: 5 }),
    {
      maxLength: 12,
    },
  );

  it('hold every token of every beam, whatever beams continue', () => {
    fc.assert(
      fc.property(steps, (plan) => {
        let texts: number[][] = [[]];
        let slots: (readonly number[])[] = [[]];
        let stored: number[] = [];
        for (const beams of plan) {
          const parents = beams.map(({ parent }) => parent % texts.length);
          const { live, earlier } = planSlots(slots, parents);
          stored = [...live.map((slot) => stored[slot]!), ...beams.map(({ token }) => token)];
          slots = earlier.map((places, beam) => [...places, live.length + beam]);
          texts = beams.map(({ token }, beam) => [...texts[parents[beam]!]!, token]);
          expect(slots.map((places) => places.map((place) => stored[place]))).toEqual(texts);
          expect(new Set(slots.flat()).size).toBe(stored.length);
        }
      }),
    );
  });
});
