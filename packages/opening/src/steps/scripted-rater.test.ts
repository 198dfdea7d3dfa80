import { makeGymCards } from '@emac/gym-cards';
import { miniGrid, solve } from '@emac/minigrid';
import { describe, expect, it } from 'vitest';
import { scriptedRater } from './scripted-rater.ts';

describe('ratings of steps', () => {
  it('are 10, 2 or 0 in MiniGrid as the way becomes shorter, stays or becomes longer', async () => {
    const level = miniGrid('MiniGrid-DoorKey-5x5-v0');
    level.reset(0);
    const rate = scriptedRater(level.id);
    const rated = async (action: number) => {
      const rating = rate(level, action);
      level.step(action);
      return rating();
    };
    const best = solve(level)!;
    expect(best.length).toBeGreaterThan(4);
    // `done` changes nothing
    expect(await rated(level.actions.indexOf('done'))).toBe(2);
    expect(await rated(best[0]!)).toBe(10);
    expect(await rated(best[1]!)).toBe(10);
    // a turn to either side and back: one of them leads away, the other makes it good
    const length = solve(level)!.length;
    const turns = [0, 1].filter((turn) => turn !== solve(level)![0]);
    for (const turn of turns) {
      const before = level.state();
      const rating = await rated(turn);
      const now = solve(level)!.length;
      expect(rating).toBe(now < length ? 10 : now > length ? 0 : 2);
      level.restore(before);
    }
    expect(solve(level)).toHaveLength(best.length - 2);
  });

  it('are 10 for the best action of a card game, and 0 for others', async () => {
    const game = makeGymCards('gym_cards/NumberLine-v0');
    game.reset(0);
    const rate = scriptedRater(game.id);
    const best = game.expert();
    expect(await rate(game, best)()).toBe(10);
    expect(await rate(game, 1 - best)()).toBe(0);
    expect(game.expert()).toBe(best);
  });
});
