import { Random } from '@emac/core';
import { sha256 } from '@emac/files';
import { startsOf, tabletop } from '@emac/tabletop';
import { describe, expect, it } from 'vitest';
import { actionSteps, samples, type Sample } from './samples.ts';

function first(count: number, name: string): Sample[] {
  const stream = samples(Random.fromSeed(name));
  return Array.from({ length: count }, () => stream.next().value);
}

describe('samples', () => {
  const drawn = first(150, 'a');

  it('depend on the name', () => {
    const told = (some: readonly Sample[]) =>
      some.map(({ frame, ...rest }) => ({ ...rest, frame: sha256(frame.data) }));
    expect(told(first(20, 'a'))).toEqual(told(drawn.slice(0, 20)));
    expect(told(first(20, 'b'))).not.toEqual(told(drawn.slice(0, 20)));
  });

  it('say motions in steps of a quarter, within 1, and all ten sentences', () => {
    for (const { action } of drawn)
      for (const value of action) {
        expect(Number.isInteger(value * actionSteps), String(value)).toBe(true);
        expect(Math.abs(value)).toBeLessThanOrEqual(1);
      }
    expect(
      new Set(
        first(400, 'c')
          .concat(drawn)
          .map(({ prompt }) => prompt),
      ).size,
    ).toBe(10);
  });

  it('show no scene of the suite itself', () => {
    const trayOf = ({ things }: Sample['scene']) => {
      const { x, y } = things.find(({ name }) => name === 'tray')!;
      return `${x} ${y}`;
    };
    const table = tabletop('tabletop/spatial');
    const own = new Set(
      startsOf('all').map((start) => {
        table.begin(start);
        return trayOf(table.scene());
      }),
    );
    expect(drawn.some(({ scene }) => own.has(trayOf(scene)))).toBe(false);
  });
});
