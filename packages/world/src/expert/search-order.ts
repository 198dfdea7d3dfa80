/**
 * The search order for an object of a class: by the chance of finding one per step needed to look, ties in printed
 * order. Chances: `placement.ts`.
 */
import { classOf } from './memory.ts';
import type { Known } from './memory.ts';
import { placement } from './placement.ts';

/** For a receptacle class that was never seen to hold the object: tried last, cheapest first. */
const faintChance = 1e-4;

/** Classes that have doors more often than not; their instances without one turn out cheaper. */
const doored = new Set(['cabinet', 'drawer', 'fridge', 'microwave', 'safe']);

/** The chance that a receptacle of one class holds an object of the other. */
export function chanceOf(object: string, receptacle: string): number {
  return Math.max(placement[object]?.[receptacle] ?? 0, faintChance);
}

/** Commands needed before the contents (or the inside) of a receptacle can be reached. */
export function costOf(receptacle: string, known: Known): number {
  const door = known.doors.get(receptacle);
  const travel = known.here.has(receptacle) ? 0 : 1;
  const opening = door === 'closed' || (door === undefined && doored.has(classOf(receptacle))) ? 1 : 0;
  return travel + opening;
}

/** The receptacles not yet inspected, best first. */
export function searchOrder(object: string, known: Known): string[] {
  const rate = (receptacle: string): number =>
    chanceOf(object, classOf(receptacle)) / Math.max(1, costOf(receptacle, known));
  return known.receptacles
    .filter((receptacle) => !known.inspected.has(receptacle))
    .map((receptacle) => ({ receptacle, rate: rate(receptacle) }))
    .sort((a, b) => b.rate - a.rate)
    .map(({ receptacle }) => receptacle);
}
