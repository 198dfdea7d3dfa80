import { expect, it } from 'vitest';
import { givingWay, type Place } from './places.ts';

const place = (address: string, last: number, isBusy = false): Place => {
  return { address, last, isBusy, leave: () => {} };
};

it.each<[string, Place[], { address: string; now: number }, number | null]>([
  ['of one client that holds all, to another', [place('a', 5), place('a', 3)], { address: 'b', now: 6 }, 3],
  ['never to its own client', [place('a', 5), place('a', 3)], { address: 'a', now: 6 }, null],
  ['never if two clients share', [place('a', 5), place('c', 3)], { address: 'b', now: 6 }, null],
  ['after five minutes to anybody', [place('a', 5), place('c', 3)], { address: 'a', now: 300_003 }, 3],
  ['not before', [place('a', 5), place('c', 3)], { address: 'a', now: 300_002 }, null],
  ['never in the middle of an answer', [place('a', 5), place('a', 3, true)], { address: 'b', now: 9e9 }, 5],
  ['not if all are', [place('a', 5, true)], { address: 'b', now: 9e9 }, null],
])('the longest waiting session gives way: %s', (_when, places, newcomer, last) => {
  expect(givingWay(places, newcomer)?.last ?? null).toBe(last);
});
