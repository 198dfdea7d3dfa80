import { stepsOf } from '@emac/opening';
import { trainConfig } from '@emac/settings';
import { expect, it } from 'vitest';
import { roundsOf } from './expected-training.ts';

const config = trainConfig({
  phase: 'bc',
  play: { rounds: 3, maxSteps: 20, skipSolved: true },
  optimization: { updatesPerEpisode: 5 },
});
/** Two games that can be won in 4 and 6 steps; at most 20 are played. */
const shortest = [4, 6];
const rounds = (changed: Partial<typeof config> = {}, games: readonly number[] = shortest) =>
  roundsOf({ ...config, ...changed }, games, 20);

it('steps lie between games won on a shortest way and games played to the limit', () => {
  expect(stepsOf(shortest, 20)).toEqual({ least: 10, most: 40 });
  // won in round 1, both are skipped in rounds 2 and 3
  expect(rounds()).toEqual({
    played: { least: 10, most: 120 },
    updates: { least: 10, most: 30 },
    inRound: 2,
  });
});

it('every game is repeated in every round if solved games are not skipped', () => {
  expect(rounds({ play: { ...config.play, skipSolved: false } }).played).toEqual({ least: 30, most: 120 });
});

it('a curriculum leaves some games to a round, the shortest of them or the longest', () => {
  const play = { ...config.play, skipSolved: false };
  const { curriculum } = trainConfig({ phase: 'bc', curriculum: { formula: 'half' } });
  // half of three, rounded up, in three rounds: 4 and 6 steps, or 20 each; 5 updates an episode
  expect(rounds({ play, curriculum }, [9, 4, 6])).toEqual({
    played: { least: 30, most: 120 },
    updates: { least: 30, most: 30 },
    inRound: 2,
  });
});

it('updates may be none for failures alone and for pairs, and have a limit', () => {
  const samples = { ...config.samples, trainAfter: 'failed-episodes' as const };
  for (const none of [rounds({ samples }), rounds({ phase: 'dpo' })])
    expect(none.updates).toEqual({ least: 0, most: 30 });
  expect(rounds({ optimization: { ...config.optimization, updates: 7 } }).updates).toEqual({
    least: 7,
    most: 7,
  });
});
