import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { nearestCommand } from './nearest-command.ts';

const admissible = ['go to cabinet 1', 'go to cabinet 2', 'go to desk 1', 'inventory', 'look'];

describe('nearestCommand', () => {
  it.each([
    ['go to desk 1', 'go to desk 1', 0],
    // a letter deleted; one replaced; two inserted
    ['go to cabnet 1', 'go to cabinet 1', 1],
    ['go to dusk 1', 'go to desk 1', 1],
    ['look at', 'look', 3],
    ['lo ok', 'look', 1],
  ])('chooses %j for %j at distance %i', (given, command, distance) => {
    expect(nearestCommand(given, admissible)).toEqual({ command, distance });
  });

  it('gives none if all are too far, or two are equally near', () => {
    expect(nearestCommand('open fridge 1', admissible)).toBeNull();
    expect(nearestCommand('look at', admissible, 2)).toBeNull();
    // cabinet 3 is one replacement away from cabinet 1 and from cabinet 2
    expect(nearestCommand('go to cabinet 3', admissible)).toBeNull();
    expect(nearestCommand('look', [])).toBeNull();
  });

  it('has distance 0 exactly for admissible commands, and is symmetric', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, other) => {
        const there = nearestCommand(one, [other], Infinity)!.distance;
        expect(nearestCommand(other, [one], Infinity)!.distance).toBe(there);
        expect(there === 0).toBe(one === other);
        const [shorter, longer] = [one.length, other.length].sort((left, right) => left - right);
        expect(there).toBeGreaterThanOrEqual(longer! - shorter!);
        expect(there).toBeLessThanOrEqual(longer!);
      }),
    );
  });
});
