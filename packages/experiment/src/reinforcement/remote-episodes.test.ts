/** Remote robot episodes, with a table in place of the client and a scripted policy. */
import { LostEpisode, Random, type Answer, type Environment, type Frame, type Task } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { scoreRemote, type RemoteScore, type RemoteScoring } from './remote-episodes.ts';

const frame: Frame = { width: 1, height: 1, data: new Uint8Array(3) };
const tasks: readonly Task[] = ['a', 'broken', 'b', 'c'].map((id) => ({ id, type: 'push' }));

/** Won if the commands' first numbers sum to 1; truncated after four. */
function world(commands: string[], pictures = true): Environment {
  return {
    tasks,
    begin: async (task) => {
      let [place, taken] = [0, 0];
      const seen = () => ({
        text: `${task.id} ${taken}`,
        frames: pictures ? [frame] : [],
        arrays: {},
        admissible: null,
      });
      return {
        task,
        first: seen(),
        step: async (command) => {
          if (task.id === 'broken' && taken === 1) throw new LostEpisode('broken: its simulator has ended');
          commands.push(`${task.id}: ${command}`);
          place += Number(command.split(' ')[0]);
          taken++;
          const won = place >= 1;
          return {
            observation: seen(),
            reward: won ? 1 : 0,
            terminated: won,
            truncated: !won && taken === 4,
            info: { won },
          };
        },
        close: async () => {},
      };
    },
  };
}

/** Acts by its prompt: `b` moves by an eighth, the others by a half. */
function scoring(commands: string[], more: Partial<RemoteScoring> = {}): RemoteScoring {
  return {
    environment: world(commands),
    tasks,
    policy: {
      decide: async (questions) =>
        questions.map(({ prompt }): Answer => {
          const [part] = prompt as unknown as readonly [string];
          return { text: part, tokens: [], logProbabilities: [] };
        }),
    },
    texts: {
      frames: true,
      prompt: ({ text }) => [text] as never,
      read: ({ text }) => ({
        action: [text.startsWith('b ') ? 0.125 : 0.5, 0, 0, 0, 0, 0, -1],
        actionStart: 0,
      }),
    },
    sampling: { kind: 'search', beams: 1 },
    random: Random.fromSeed(1),
    atOnce: 2,
    ...more,
  };
}

describe('remote episodes', () => {
  it('send actions as numbers in text, end when the client says so, and exclude lost episodes', async () => {
    const commands: string[] = [];
    let ended = 0;
    const { episodes, lost } = await scoreRemote(scoring(commands, { ended: () => ended++ }));
    expect(episodes).toEqual([
      { task: tasks[0], won: true, return: 1, steps: 2 },
      { task: tasks[2], won: false, return: 0, steps: 4 },
      { task: tasks[3], won: true, return: 1, steps: 2 },
    ]);
    expect(lost).toEqual([{ id: 'broken', fault: 'broken: its simulator has ended' }]);
    expect(ended).toBe(4);
    expect(commands.filter((each) => each.startsWith('c'))).toEqual([
      'c: 0.5 0 0 0 0 0 -1',
      'c: 0.5 0 0 0 0 0 -1',
    ]);
  });

  it('that are known are not played again, without effect on the others', async () => {
    const told = new Map<number, RemoteScore>();
    const ended = (number: number, score: object) =>
      void ('task' in score && told.set(number, JSON.parse(JSON.stringify(score)) as RemoteScore));
    const whole = await scoreRemote(scoring([], { ended }));
    // a lost episode has no score
    expect([...told.keys()].sort()).toEqual([0, 2, 3]);
    const commands: string[] = [];
    const heard: number[] = [];
    const known = new Map([...told].filter(([number]) => number !== 2));
    const again = await scoreRemote(scoring(commands, { known, ended: (number) => void heard.push(number) }));
    expect(again).toEqual(whole);
    expect(heard.sort()).toEqual([1, 2]);
    expect(new Set(commands.map((each) => each.split(':')[0]))).toEqual(new Set(['broken', 'b']));
    expect(await scoreRemote(scoring([], { known: told }))).toEqual(whole);
  });

  it('are the same however many are under way', async () => {
    const alone = await scoreRemote(scoring([], { atOnce: 1 }));
    expect(await scoreRemote(scoring([], { atOnce: 4 }))).toEqual(alone);
  });

  it('need pictures, and stop when asked', async () => {
    await expect(scoreRemote(scoring([], { environment: world([], false) }))).rejects.toMatchObject({
      code: 'data',
    });
    const signal = AbortSignal.abort();
    await expect(scoreRemote(scoring([], { signal }))).rejects.toMatchObject({ code: 'interrupted' });
  });
});
