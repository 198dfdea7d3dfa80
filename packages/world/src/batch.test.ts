import { describe, expect, it } from 'vitest';
import { WorldBatch } from './batch.ts';
import { parseGame } from './game/game.ts';
import { miniGame } from './mini-game.test.data.ts';

const game = parseGame(miniGame(), { id: 'mini/one' });
const win = [
  'go to shelf 2',
  'take ball 3 from shelf 2',
  'go to shelf 1',
  'put ball 3 on shelf 1',
  'go to shelf 2',
  'take ball 2 from shelf 2',
  'go to shelf 1',
  'put ball 2 on shelf 1',
];

describe('a batch of worlds', () => {
  it('steps each game with its own command, and a won one no further', () => {
    const batch = new WorldBatch([game, game]);
    for (const command of win) batch.step([command, 'wait']);
    expect(batch.states.map(({ won, done }) => [won, done])).toEqual([
      [true, true],
      [false, false],
    ]);
    const [won] = batch.states;
    expect(batch.step(['take ball 3 from shelf 1', 'go to shelf 1'])[0]).toBe(won);
    expect(batch.states[1]!.observation).toBe('You reach shelf 1. On it: a lamp 1.');
    expect(batch.allDone).toBe(false);
  });

  it('ends at the step limit, and starts again', () => {
    const batch = new WorldBatch([game], { maxSteps: 2 });
    expect(batch.step(['nonsense'])[0]!.done).toBe(false);
    expect(batch.step(['wait'])[0]).toMatchObject({ done: true, won: false, score: 0 });
    expect(batch.allDone).toBe(true);
    expect(batch.step(['look'])[0]!.observation).toBe('Time passes.\n');
    expect(batch.reset()[0]).toMatchObject({ done: false });
  });

  it('refuses another number of commands', () => {
    expect(() => new WorldBatch([game]).step([])).toThrow(/each of 1 games, got 0/);
  });
});
