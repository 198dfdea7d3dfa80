import { expect, it } from 'vitest';
import { givingWay, type Place } from './places.ts';

const place = (address: string, last: number, isBusy = false): Place => {
  return { address, last, isBusy, leave: () => {} };
};

it.each<[string, Place[], { address: string; now: number }, number | null]>([
  ['of one client that holds all, to another', [place('a', 5), place('a', 3)], { address: 'b', now: 6 }, 3],
  ['never to its own client', [place('a', 5), place('a', 3)], { address: 'a', now: 6 }, null],
  ['never if two clients share', [place('a', 5), place('c', 3)], { address: 'b', now: 6 }, null],
  // a holds 2, c 1
  [
    'after five minutes to a client with fewer',
    [place('a', 5), place('a', 4), place('c', 3)],
    { address: 'b', now: 300_004 },
    4,
  ],
  ['not before', [place('a', 5), place('a', 4), place('c', 3)], { address: 'b', now: 300_003 }, null],
  ['not to a client with as many', [place('a', 5), place('c', 3)], { address: 'b', now: 1_800_002 }, null],
  [
    'not to a client that would have as many',
    [place('a', 5), place('a', 4), place('c', 3)],
    { address: 'c', now: 1_800_002 },
    null,
  ],
  [
    'after half an hour to anybody, also its own client',
    [place('a', 5), place('c', 3)],
    { address: 'c', now: 1_800_003 },
    3,
  ],
  [
    'then of the client that holds most',
    [place('a', 5), place('a', 4), place('c', 3)],
    { address: 'b', now: 1_800_005 },
    4,
  ],
  ['never in the middle of an answer', [place('a', 5), place('a', 3, true)], { address: 'b', now: 9e9 }, 5],
  ['not if all are', [place('a', 5, true)], { address: 'b', now: 9e9 }, null],
])('the longest waiting session gives way: %s', (_when, places, newcomer, last) => {
  expect(givingWay(places, newcomer)?.last ?? null).toBe(last);
});
