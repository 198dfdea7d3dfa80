import { Random } from '@emac/core';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { drawnEpisodes, episodesFrom, episodesIn, shuffledEpisodes } from './episode-order.ts';

const episodes = [[0, 1, 2], [3], [4, 5, 6, 7, 8]];

it('finds episodes between their beginnings', () => {
  expect(episodesFrom([0, 3, 4], 9)).toEqual(episodes);
});

it('takes every place once, neighbours of an episode together', () => {
  fc.assert(
    fc.property(fc.nat(), (seed) => {
      const order = shuffledEpisodes(episodes, Random.fromSeed(seed));
      expect([...order].sort((a, b) => a - b)).toEqual(episodes.flat());
      for (const episode of episodes)
        expect(order.slice(order.indexOf(episode[0]!)).slice(0, episode.length)).toEqual(episode);
    }),
  );
});

it('draws whole episodes, and of the last as many neighbours as are missing', () => {
  fc.assert(
    fc.property(fc.nat(), fc.integer({ min: 1, max: 20 }), (seed, count) => {
      const drawn = drawnEpisodes(episodes, { count, random: Random.fromSeed(seed) });
      expect(drawn).toHaveLength(count);
      for (let place = 0; place < drawn.length;) {
        const episode = episodes.find((each) => each.includes(drawn[place]!))!;
        const part = episode.slice(
          episode.indexOf(drawn[place]!),
          episode.indexOf(drawn[place]!) + count - place,
        );
        expect(drawn.slice(place, place + part.length)).toEqual(part);
        const isLast = place + part.length === count;
        expect(isLast || part.length === episode.length).toBe(true);
        place += part.length;
      }
    }),
  );
});

it('draws each episode as often as another, so every step too', () => {
  const random = Random.fromSeed(5);
  const counts = new Map<number, number>();
  for (let trial = 0; trial < 3000; trial++)
    for (const place of drawnEpisodes(episodes, { count: 5, random }).slice(0, 1))
      counts.set(place, (counts.get(place) ?? 0) + 1);
  // the first place of a draw begins its episode, as each fits: binomial(3000, ⅓), standard deviation 25.8; four of them
  for (const first of [0, 3, 4]) expect(Math.abs(counts.get(first)! - 1000)).toBeLessThan(104);
});

it('follows a buffer that grows and loses its oldest steps', () => {
  const all = [0, 0, 1, 2, 2, 2, 3].map((episode) => ({ round: 0, episode }));
  let [from, to] = [0, 3];
  const buffer = {
    get length() {
      return to - from;
    },
    get appended() {
      return to;
    },
    keyedAt: (index: number) => all[from + index]!,
  };
  const found = episodesIn(buffer);
  expect(found()).toEqual([[0, 1], [2]]);
  [from, to] = [1, 7];
  expect(found()).toEqual([[0], [1], [2, 3, 4], [5]]);
});
