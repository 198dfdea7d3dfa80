import { describe, expect, it } from 'vitest';
import { alfworld } from './alfworld.ts';
import { parseGame } from './game/game.ts';
import { builtinGame } from './generate/builtin-suite.ts';
import { miniGame } from './mini-game.test.data.ts';

const game = parseGame(miniGame(), { id: 'mini/one' });
const task = { id: 'mini/one', type: null };

describe('alfworld', () => {
  it('truncates an episode at the step limit, refused commands counted', async () => {
    const episode = await alfworld([game], { maxSteps: 2 }).begin(task, '0');
    const refused = await episode.step('nonsense');
    expect(refused).toMatchObject({ observation: { text: 'Nothing happens.' }, truncated: false });
    const last = await episode.step('wait');
    expect(last.observation.text).toBe('Time passes.\n');
    expect(last).toMatchObject({ terminated: false, truncated: true, reward: 0, info: { won: false } });
    expect(await episode.step('look')).toBe(last);
  });

  it('terminates with a reward of 1 when the game is won, also at the last step of the limit', async () => {
    const { id, file } = builtinGame('valid_seen', 0);
    const { walkthrough } = file;
    const environment = alfworld([parseGame(file, { id })], { maxSteps: walkthrough.length });
    const episode = await environment.begin(environment.tasks[0]!, '0');
    const steps = [];
    for (const command of walkthrough) steps.push(await episode.step(command));
    expect(steps.map(({ reward }) => reward)).toEqual([...walkthrough.slice(1).map(() => 0), 1]);
    expect(steps.at(-1)).toMatchObject({ terminated: true, truncated: false, info: { won: true, score: 1 } });
  });

  it('adds a frame of the visible state to every observation', async () => {
    const frames = (visible: { facing: readonly unknown[] }) => {
      return { width: 1, height: 1, data: Uint8Array.of(visible.facing.length, 0, 0) };
    };
    const episode = await alfworld([game], { frames }).begin(task, '0');
    expect(episode.first.frames[0]!.data[0]).toBe(0);
    expect((await episode.step('go to shelf 2')).observation.frames[0]!.data[0]).toBe(2);
    expect((await alfworld([game]).begin(task, '0')).first.frames).toEqual([]);
  });

  it('draws a frame when it is first read, once, as it was at that step', async () => {
    let drawn = 0;
    const frames = (visible: { facing: readonly unknown[] }) => {
      drawn++;
      return { width: 1, height: 1, data: Uint8Array.of(visible.facing.length, 0, 0) };
    };
    const episode = await alfworld([game], { frames }).begin(task, '0');
    const { observation } = await episode.step('go to shelf 2');
    expect(drawn).toBe(0);
    // nothing is faced at the start, shelf 2 faces two
    expect(episode.first.frames[0]!.data[0]).toBe(0);
    expect(observation.frames[0]!.data[0]).toBe(2);
    expect(observation.frames).toBe(observation.frames);
    expect(drawn).toBe(2);
  });

  it('begins any number of attempts at once, each on its own', async () => {
    const environment = alfworld([game]);
    expect(environment.tasks).toEqual([{ id: 'mini/one', type: game.taskType }]);
    const [first, second] = [await environment.begin(task, '0'), await environment.begin(task, '1')];
    await first.step('go to shelf 2');
    expect(second.first.admissible).toContain('go to shelf 2');
    const admissible = (state: { observation: { admissible: readonly string[] | null } }) =>
      state.observation.admissible;
    expect(admissible(await second.step('wait'))).toEqual(second.first.admissible);
  });

  it('refuses an invalid step limit, duplicate game ids, and unknown tasks', async () => {
    expect(() => alfworld([game], { maxSteps: 0 })).toThrow(/positive integer/);
    expect(() => alfworld([game, game])).toThrow(/each game needs its own id/);
    await expect(alfworld([game]).begin({ id: 'other', type: null }, '0')).rejects.toThrow(
      /not one of its games/,
    );
  });
});
