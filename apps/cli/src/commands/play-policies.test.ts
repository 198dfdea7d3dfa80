/** `emac play --agent` takes every name that `emac eval --policy` takes, in every form of environment. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { labelServer } from '@emac/testing';
import { describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../captured-io.test.fixture.ts';

const folder = temporaryFolder();
const file = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

/** One task: go left twice. */
const twice = file(
  'twice.mjs',
  `export default {
  tasks: { training: ['a'], heldOut: ['b'] },
  actions: ['left', 'right'],
  begin: () => {
    let lefts = 0;
    return {
      observation: 'Go left twice.',
      step: (action) => {
        if (action === 'left') lefts++;
        return { observation: lefts + ' times.', reward: lefts === 2 ? 1 : 0, done: lefts === 2, won: lefts === 2 };
      },
    };
  },
  expert: () => 'left',
};`,
);
const household = 'builtin:valid_unseen/0';
const grid = 'MiniGrid-Empty-5x5-v0';
const act = file('first.mjs', 'export const act = (_seen, { actions }) => actions[0];');

interface Line {
  readonly step: number;
  readonly won?: boolean;
  readonly reward?: number;
  readonly command?: string | null;
  readonly action?: number | null;
}

async function watched(game: string, agent: string, ...flags: string[]): Promise<Line[]> {
  const { status, stdout, stderr } = await emac(['play', game, '--agent', agent, '--json', ...flags]);
  expect(status, stderr).toBe(0);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

describe('emac play --agent', () => {
  it('watches the scripted player win a household game, a level, a robot’s table and a module', async () => {
    expect((await watched(household, 'scripted')).at(-1)).toMatchObject({ won: true });
    // straight ahead twice, a turn, twice ahead: 5 of 100 steps, 1 − 0.9 · 5/100
    expect((await watched(grid, 'scripted')).at(-1)).toMatchObject({ step: 5, reward: 0.955 });
    expect((await watched('tabletop/goal', 'scripted')).at(-1)).toMatchObject({ reward: 1 });
    expect((await watched(twice, 'scripted')).at(-1)).toMatchObject({ step: 2, won: true });
  });

  it('watches random actions', async () => {
    expect(await watched(household, 'random', '--max-steps', '3')).toHaveLength(4);
    expect(await watched(grid, 'random', '--max-steps', '3')).toHaveLength(4);
    expect((await watched(twice, 'random')).at(-1)).toMatchObject({ won: true });
  });

  it('watches a file that exports act', async () => {
    expect((await watched(twice, act)).map(({ command }) => command)).toEqual([null, 'left', 'left']);
    // "done" is the first in alphabetical order, number 6
    expect((await watched(grid, act, '--max-steps', '1')).map(({ action }) => action)).toEqual([null, 6]);
  });

  it('asks a language model of a service', async () => {
    const { baseUrl } = await labelServer((asked) => asked.answer('left'));
    const argv = ['play', twice, '--agent', 'openai:some-model', '--json'];
    const { status, stdout, stderr } = await emac(argv, {
      env: { OPENAI_BASE_URL: baseUrl, OPENAI_API_KEY: 'key' },
    });
    expect([status, stderr]).toEqual([0, '']);
    expect(stdout.trim().split('\n')).toHaveLength(3);
  });

  it('takes untouched for the usual model', async () => {
    expect(await watched(household, 'untouched', '--max-steps', '1')).toEqual(
      await watched(household, 'emma-tiny', '--max-steps', '1'),
    );
  });

  it('lets somebody play as human', async () => {
    const { stdout } = await emac(['play', twice, '--agent', 'human'], {
      stdin: 'left\rleft\r',
      isPerson: true,
    });
    expect(stdout).toContain('Well done: you won in 2 steps.');
  });

  it('refuses a player without meaning there', async () => {
    const silent = file(
      'silent.mjs',
      'export default { tasks: { training: ["a"], heldOut: ["b"] }, begin: () => ({ observation: "", step: () => ({ observation: "", reward: 0, done: true }) }) };',
    );
    const { status, stderr } = await emac(['play', silent, '--agent', 'scripted']);
    expect([status, stderr]).toEqual([64, expect.stringContaining('has no scripted player')]);
  });
});

describe('emac play of an environment of one’s own', () => {
  it('ends after the win, whatever lines follow', async () => {
    const stdin = 'left\nleft\nleft\nleft\n';
    const { status, stdout } = await emac(['play', twice, '--commands', '-'], { stdin });
    expect([status, stdout.match(/^> left$/gm)?.length]).toEqual([0, 2]);
    expect(stdout.trimEnd().endsWith('You won in 2 steps.')).toBe(true);
  });

  it('lists the actions for ?, without taking a step', async () => {
    const stdin = '?\nleft\n?\nleft\n';
    const { stdout, stderr } = await emac(['play', twice, '--commands', '-'], { stdin });
    expect(stderr).toBe('left\nright\nleft\nright\n');
    expect(stdout).toContain('You won in 2 steps.');
    const numbered = await emac(['play', 'gym_cards/Blackjack-v0', '--commands', '-'], { stdin: '?\n' });
    expect([numbered.status, numbered.stderr]).toEqual([0, '0 stand\n1 hit\n']);
  });
});
