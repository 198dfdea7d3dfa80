/** Players in small environments whose best play is known. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Random, type OpenedKind, type Task } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import type { PlayedMoment } from './environment-player.ts';
import { modulePlayer } from './module-player.ts';
import { policyNamed } from './policy-name.ts';
import { personPlayer, randomPlayer, scriptedInEnvironment } from './simple-players.ts';

const task: Task = { id: 'room/1', type: null };
const seen = (admissible: readonly string[] | null) => ({ text: 'A room.', frames: [], admissible });

const momentOf = (
  random: Random,
  admissible: readonly string[] | null = ['go', 'stay', 'turn'],
): PlayedMoment => ({
  task,
  random,
  observation: seen(admissible),
  history: { initial: 'A room.', turns: [] },
});

const opened = (admissible: readonly string[] | null, player?: OpenedKind['player']) => ({
  id: 'room',
  tasks: { training: { count: 1, at: () => task }, heldOut: { count: 1, at: () => task } },
  begin: () =>
    Promise.resolve({
      task,
      first: seen(admissible),
      step: () => Promise.reject(new Error('is not stepped')),
      close: () => Promise.resolve(),
    }),
  ...(player && { player }),
});

const counts = (actions: readonly string[]) =>
  ['go', 'stay', 'turn'].map((action) => actions.filter((each) => each === action).length);

/** χ² of three equal shares; above 13.8 with probability 0.001 (two degrees of freedom). */
const chiSquared = (actions: readonly string[]) => {
  const expected = actions.length / 3;
  return counts(actions).reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
};

describe('policyNamed', () => {
  it('knows words, files, services and addresses; every other name is a trained policy', () => {
    const names = [
      'random',
      'scripted',
      'human',
      './a.mjs',
      'openai:gpt-4o',
      'http://a:1',
      'runs/bc',
      'untouched',
    ];
    expect(names.map((name) => policyNamed(name).kind)).toEqual([
      'random',
      'scripted',
      'human',
      'module',
      'service',
      'served',
      'trained',
      'trained',
    ]);
  });
});

describe('the random player', () => {
  const play = async (seed: number) => {
    const player = await randomPlayer(opened(['go', 'stay', 'turn']));
    const random = Random.fromSeed(seed);
    return Promise.all(Array.from({ length: 3000 }, async () => (await player.act(momentOf(random))).action));
  };

  it('draws the admissible actions uniformly, the same for one seed', async () => {
    const drawn = await play(1);
    expect(chiSquared(drawn)).toBeLessThan(13.8);
    expect(await play(1)).toEqual(drawn);
    expect(await play(2)).not.toEqual(drawn);
  });

  it('is refused where the environment lists no actions', async () => {
    await expect(randomPlayer(opened(null))).rejects.toMatchObject({
      code: 'usage',
      message: '--policy random: draws from the listed actions, but room/1 lists none; give another policy',
    });
  });
});

describe('the scripted player', () => {
  it('takes the label of the environment’s player, else draws an action and says so', async () => {
    const random = Random.fromSeed(0);
    const right = { label: () => Promise.resolve({ kind: 'action', command: 'turn' } as const) };
    const none = { label: () => Promise.resolve({ kind: 'unusable', reason: 'lost' } as const) };
    expect(await scriptedInEnvironment(opened(null, right)).act(momentOf(random))).toEqual({
      action: 'turn',
      isFallback: false,
    });
    const drawn = await scriptedInEnvironment(opened(null, none)).act(momentOf(random, ['go']));
    expect(drawn).toEqual({ action: 'go', isFallback: true });
  });

  it('is refused where there is none', () => {
    expect(() => scriptedInEnvironment(opened(null))).toThrow(
      '--policy scripted: room has no scripted player; give another policy',
    );
  });
});

describe('a policy in a file', () => {
  const folder = temporaryFolder();
  const fileOf = (name: string, code: string) => {
    const path = join(folder, name);
    writeFileSync(path, code);
    return path;
  };
  const acting = async (name: string, code: string, admissible?: readonly string[] | null) => {
    const player = await modulePlayer(fileOf(name, code), { env: { MY_TOKEN: 'secret' } });
    const random = Random.fromSeed(0);
    try {
      return (await player.act(momentOf(random, admissible))).action;
    } finally {
      await player.dispose();
    }
  };

  it('gives a text, or the index of an action; sees observation and history, and no keys', async () => {
    expect(await acting('text.mjs', 'export const act = ({ text }) => `look at ${text}`;')).toBe(
      'look at A room.',
    );
    expect(await acting('index.mjs', 'export default (_seen, { actions }) => actions.length - 1;')).toBe(
      'turn',
    );
    const method =
      'export default { act: (_seen, { history }) => history.initial + String(process.env.MY_TOKEN) };';
    expect(await acting('method.mjs', method)).toBe('A room.undefined');
  });

  it('draws uniformly with its own random numbers, the same for one seed', async () => {
    const code = 'export const act = (_seen, { actions, random }) => Math.floor(random() * actions.length);';
    const player = await modulePlayer(fileOf('random.mjs', code));
    const play = async (seed: number) => {
      const random = Random.fromSeed(seed);
      const drawn: string[] = [];
      for (let step = 0; step < 600; step++) drawn.push((await player.act(momentOf(random))).action);
      return drawn;
    };
    const drawn = await play(3);
    expect(chiSquared(drawn)).toBeLessThan(13.8);
    expect(await play(3)).toEqual(drawn);
    await player.dispose();
  });

  it.each([
    ['exports no function', 'none.mjs', 'export default { begin() {} };', /exports no function act; write/],
    ['does not load', 'broken.mjs', 'export const = 1;', /failed to load: /],
    [
      'throws',
      'throws.mjs',
      'export function act() { throw new Error("oh"); }',
      /act for step 1 of room\/1 threw: oh$/,
    ],
    [
      'gives an index beyond the actions',
      'beyond.mjs',
      'export const act = () => 3;',
      /an index below 3, got 3 in room\/1$/,
    ],
    [
      'gives nothing',
      'nothing.mjs',
      'export const act = () => {};',
      /must give a text, .* got undefined in room\/1$/,
    ],
  ])('that %s is refused in one sentence', async (_what, name, code, sentence) => {
    await expect(acting(name, code)).rejects.toMatchObject({
      code: 'data',
      message: expect.stringMatching(sentence) as string,
    });
  });

  it('may not give an index where no actions are listed, nor be missing', async () => {
    await expect(acting('number.mjs', 'export const act = () => 0;', null)).rejects.toThrow(
      /act must give a text, got 0 in room\/1$/,
    );
    await expect(modulePlayer(join(folder, 'absent.mjs'))).rejects.toMatchObject({
      code: 'missing',
      message: expect.stringMatching(/^--policy .*absent\.mjs: does not exist$/) as string,
    });
  });
});

describe('a person', () => {
  /** Types these lines; keeps what was shown and told. */
  function typist(lines: readonly string[]) {
    const told: string[] = [];
    const waiting = [...lines];
    const person = {
      ask: ({ text, isFirst }: { readonly text: string; readonly isFirst: boolean }) => {
        told.push(`${isFirst ? 'first: ' : ''}${text}`);
        return Promise.resolve(waiting.shift() ?? null);
      },
      tell: (sentence: string) => void told.push(sentence),
    };
    return { person, told };
  }

  it('plays what is typed, and is asked again for what is no action', async () => {
    const { person, told } = typist(['jump', '', ' turn ']);
    const player = personPlayer(person);
    expect(await player.act(momentOf(Random.fromSeed(1)))).toEqual({ action: 'turn', isFallback: false });
    const not = (word: string) => `"${word}" is none of the actions: go, stay, turn`;
    expect(told).toEqual(['first: A room.', not('jump'), 'first: A room.', not(''), 'first: A room.']);
    expect(player.atOnce).toBe(1);
  });

  it('may type anything where actions are not listed', async () => {
    const player = personPlayer(typist(['guess 7']).person);
    expect((await player.act(momentOf(Random.fromSeed(1), null))).action).toBe('guess 7');
  });

  it('who types nothing more interrupts the evaluation; without one it cannot begin', async () => {
    const player = personPlayer(typist([]).person);
    await expect(player.act(momentOf(Random.fromSeed(1)))).rejects.toMatchObject({
      code: 'interrupted',
      message: expect.stringContaining('nothing more was typed in room/1'),
    });
    expect(() => personPlayer(undefined)).toThrow('--policy human: needs somebody who types actions');
  });
});
