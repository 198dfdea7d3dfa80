import { describe, expect, it } from 'vitest';
import { episodeOf, worldSource } from './episode.ts';
import { parseGame } from './game/game.ts';
import { miniGame } from './mini-game.test.data.ts';

const game = parseGame(miniGame(), { id: 'mini/one' });

describe('episodes', () => {
  it('are done at the step limit without being won, refused commands counted', async () => {
    const episode = episodeOf(game, { maxSteps: 2 });
    expect(await episode.step('nonsense')).toMatchObject({ observation: 'Nothing happens.', done: false });
    const last = await episode.step('wait');
    expect(last).toMatchObject({ observation: 'Time passes.\n', done: true, won: false, score: 0 });
    expect(await episode.step('look')).toBe(last);
  });

  it('carry a frame of what is seen with every observation', async () => {
    const frames = (visible: { facing: readonly unknown[] }) => {
      return { width: 1, height: 1, data: Uint8Array.of(visible.facing.length, 0, 0) };
    };
    const episode = episodeOf(game, { frames });
    expect(episode.frame?.data[0]).toBe(0);
    expect((await episode.step('go to shelf 2')).frame?.data[0]).toBe(2);
    expect(episodeOf(game)).not.toHaveProperty('frame');
  });

  it('come one after the other, each reset, and then no more', async () => {
    const source = worldSource([game, game]);
    const first = await source.next();
    await first?.step('go to shelf 2');
    const second = await source.next();
    expect(second?.gameId).toBe('mini/one');
    expect(second?.admissible).toContain('go to shelf 2');
    expect(await source.next()).toBeNull();
  });

  it('refuse a step limit that is none', () => {
    expect(() => episodeOf(game, { maxSteps: 0 })).toThrow(/positive integer/);
  });
});
