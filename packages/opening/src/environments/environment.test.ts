import { builtinGame, parseGame } from '@emac/world';
import { describe, expect, it } from 'vitest';
import { gamesKind } from './alfworld-kind.ts';
import { givenEnvironment } from './environment.ts';
import { kindEnvironment } from './kind-environment.ts';

const { id, file } = builtinGame('train', 0);
const games = [parseGame(JSON.stringify(file), { id })];

/** Pictures before and after a command. */
async function pictures(observe: 'text' | 'image' | 'both', wrapped: boolean): Promise<number[]> {
  const text = { maxTokens: 100, thoughts: false, observe };
  const seen = wrapped ? { ...text, observe: 'both' as const } : text;
  const kind = gamesKind(games, 5);
  const own = { tasks: [kind.tasks.heldOut.at(0)], ...kindEnvironment(kind, seen) };
  const environment = wrapped ? givenEnvironment(own, text) : own;
  const episode = await environment.begin(environment.tasks[0]!, 'seed');
  const { observation } = await episode.step('look');
  await episode.close();
  return [episode.first.frames.length, observation.frames.length];
}

describe('pictures', () => {
  it('are there, but for a policy that reads texts alone', async () => {
    for (const wrapped of [false, true]) {
      expect(await pictures('text', wrapped)).toEqual([0, 0]);
      expect(await pictures('image', wrapped)).toEqual([1, 1]);
      expect(await pictures('both', wrapped)).toEqual([1, 1]);
    }
  });
});
