import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeGymCards } from '@emac/gym-cards';
import { miniGrid } from '@emac/minigrid';
import type { Frame } from '@emac/core';
import { openEnvironment } from '@emac/opening';
import { describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../captured-io.test.fixture.ts';

const folder = temporaryFolder();

type Line = Readonly<Record<string, unknown>>;

async function lines(argv: string, stdin: string): Promise<Line[]> {
  const { status, stdout, stderr } = await emac([...argv.split(' '), '--commands', '-', '--json'], { stdin });
  expect([status, stderr]).toEqual([0, '']);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
}

const sha256 = ({ data }: Frame): string => createHash('sha256').update(data).digest('hex');

describe('emac play of an environment by a program', () => {
  it('prints the reset and every action of gym-cards, with fields in the documented order', async () => {
    const steps = await lines('play gym_cards/Blackjack-v0 --seed 1', '1\n0\n');
    expect(Object.keys(steps[0]!)).toEqual([
      'step',
      'action',
      'reward',
      'terminated',
      'truncated',
      'frame_sha256',
      'info',
    ]);
    const game = makeGymCards('gym_cards/Blackjack-v0');
    const { won: _, ...dealt } = game.reset(1);
    const start = { step: 0, action: null, reward: 0, terminated: false, truncated: false };
    expect(steps[0]).toEqual({ ...start, frame_sha256: sha256(game.frame()), info: dealt });
    // with seed 1, hitting once and then standing wins
    expect(steps.slice(1)).toMatchObject([
      { step: 1, action: 1, reward: 0, terminated: false },
      { step: 2, action: 0, reward: 1, terminated: true, truncated: false },
    ]);
    expect(steps[2]!['info']).not.toHaveProperty('won');
  });

  it('prints MiniGrid’s observations, with the published pictures', async () => {
    const solution = '03022125221222';
    const steps = await lines('play MiniGrid-DoorKey-6x6 --seed 0', [...solution].join('\n'));
    expect(steps.map(({ action }) => action)).toEqual([null, ...[...solution].map(Number)]);
    expect(steps[0]).toMatchObject({
      direction: 1,
      mission: 'use the key to open the door and then get to the goal',
      info: {},
    });
    // the level of seed 0 in the published package
    expect(steps[0]!['frame_sha256']).toMatch(/^8382c4af8920159d/);
    expect(steps.at(-1)).toMatchObject({ step: 14, reward: 0.965, terminated: true, truncated: false });
    const image = steps[0]!['image'] as number[][][];
    expect([image.length, image[0]!.length, image[0]![0]!.length]).toEqual([7, 7, 3]);
    // all 7 × 7 × 3 numbers of all steps, columns first
    const seen = createHash('sha256');
    for (const step of steps) seen.update(Uint8Array.from((step['image'] as number[][][]).flat(2)));
    expect(seen.digest('hex')).toMatch(/^21cdf4c3f107193f/);
  });

  it('takes words for a robot’s hand, and prints the instruction and the hand’s position', async () => {
    const table = openEnvironment('tabletop/goal', { palette: null, maxSteps: null });
    const [right, up] = ['right', 'up'].map((word) => table.actions.indexOf(word));
    const steps = await lines('play tabletop/goal --seed 4', `${right}\n${up}\n`);
    table.reset(4);
    const [x, , z] = table.observe()['state']!.data;
    expect(steps.map(({ instruction }) => instruction)).toEqual([table.text(), table.text(), table.text()]);
    expect(steps[0]!['frame_sha256']).toBe(sha256(table.frame()));
    const [, moved, raised] = steps.map(({ state }) => state as number[]);
    // a word is 4 cm
    expect(moved![0]! - x!).toBeCloseTo(0.04, 5);
    expect(raised![2]! - z!).toBeCloseTo(0.04, 5);
  });

  it('starts further episodes at reset, with the running random stream or another seed', async () => {
    const steps = await lines(
      'play MiniGrid-DoorKey-6x6-v0',
      'reset\n1\nreset 3\r\nreset 36893488147419103232\n',
    );
    expect(steps.map(({ step, action }) => [step, action])).toEqual([
      [0, null],
      [0, null],
      [1, 1],
      [0, null],
      [0, null],
    ]);
    const level = miniGrid('MiniGrid-DoorKey-6x6-v0');
    const hashes = [0, null, 3, 2n ** 65n].map((seed) => {
      level.reset(seed);
      return sha256(level.frame());
    });
    expect([0, 1, 3, 4].map((place) => steps[place]!['frame_sha256'])).toEqual(hashes);
    expect(new Set(hashes).size).toBe(4);
  });

  it('wraps MiniGrid’s colour numbers, and takes a step limit', async () => {
    const argv = 'play MiniGrid-Empty-5x5 --palette legacy-wrapped --max-steps 2';
    const steps = await lines(argv, '0\n0\n');
    const level = miniGrid('MiniGrid-Empty-5x5-v0', { palette: 'legacy-wrapped' });
    level.reset(0);
    expect(steps[0]!['frame_sha256']).toBe(sha256(level.frame()));
    expect(steps.map(({ truncated }) => truncated)).toEqual([false, false, true]);
  });

  it('ends after an episode, unless another one is asked for', async () => {
    const argv = ['play', 'gym_cards/Blackjack-v0', '--seed', '3', '--commands', '-', '--json'];
    const { status, stdout, stderr } = await emac(argv, { stdin: '0\nreset 3\n0\n0\n0\n' });
    expect([status, stdout.trim().split('\n').length]).toEqual([0, 4]);
    expect(stderr).toBe('gym_cards/Blackjack-v0: the episode has ended; reset begins another\n');
  });

  it.each(['13', '-1', '1.5', '', 'reset x', 'reset -1', '1 2', '+'])(
    'rejects the line %j with its number',
    async (line) => {
      const path = join(folder, 'lines.txt');
      writeFileSync(path, `0\n${line}\n0\n`);
      const { status, stderr } = await emac(['play', 'gym_cards/EZPoints-v0', '--commands', path, '--json']);
      expect(status).toBe(65);
      const rule = `must be the number of an action from 0 to 12, reset, or reset SEED, got ${JSON.stringify(line)}`;
      expect(stderr).toBe(`emac: --commands ${path}, line 2: ${rule}\n`);
    },
  );

  it.each([
    ['gym_cards/EZPoint', 'is not an environment; similar ones are gym_cards/EZPoints-v0,'],
    ['MiniGrid-DoorKey-6x7', 'is not an environment; similar ones are MiniGrid-DoorKey-6x6-v0,'],
    ['MiniGird-Empty-5x5', 'is not an environment; similar ones are MiniGrid-Empty-5x5-v0,'],
    ['minigrid', 'is a kind of environment; give one environment, such as MiniGrid-Empty-5x5-v0,'],
    ['BlackJack', 'is not an environment; did you mean gym_cards/Blackjack-v0?'],
  ])('suggests ids close to %s', async (id, words) => {
    const { status, stderr } = await emac(['play', id, '--commands', '-'], { stdin: '' });
    expect(status).toBe(64);
    expect(stderr).toContain(`${id}: ${words}`);
  });

  it('rejects flags of other environments', async () => {
    const refused = async (...argv: string[]) => {
      const { status, stderr } = await emac(['play', ...argv, '--commands', '-'], { stdin: '' });
      expect(status).toBe(64);
      return stderr;
    };
    expect(await refused('gym_cards/EZPoints-v0', '--palette', 'true')).toContain(
      '--palette: is for MiniGrid-…',
    );
    expect(await refused('gym_cards/EZPoints-v0', '--agent', 'runs/x')).toContain(
      '--agent: chooses the actions itself',
    );
    expect(await refused('builtin:valid_unseen/0', '--seed', '1')).toContain('--seed: is for gym_cards/…');
    expect(await refused('gym_cards/EZPoints-v0', '--seed', '-1')).toContain('a whole number from 0');
    expect((await emac(['play', join(folder, 'no-such-game')])).status).toBe(66);
  });

  it('prints words without --json, and saves pictures and a film', async () => {
    const [frames, gif] = [join(folder, 'frames'), join(folder, 'line.gif')];
    const argv = ['play', 'gym_cards/NumberLine-v0', '--max-steps', '1', '--frames', frames, '--gif', gif];
    const { status, stdout } = await emac(argv, { stdin: '1\nreset 4\n' });
    expect(status).toBe(0);
    const game = makeGymCards('gym_cards/NumberLine-v0');
    game.reset(0);
    const first = game.text();
    const { reward, terminated } = game.step(1);
    const second = game.text();
    game.reset(4);
    const end = terminated ? 'the end' : 'the limit';
    expect(stdout).toBe(`${first}\n1. +: reward ${reward}, ${end}\n${second}\n${game.text()}\n`);
    expect(readdirSync(frames).sort()).toEqual(['step-000.png', 'step-001.png', 'step-002.png']);
    expect(existsSync(gif) && readFileSync(gif).subarray(0, 6).toString()).toBe('GIF89a');
  });
});

describe('emac play of an environment by a person', () => {
  const person = (id: string, stdin: string | readonly string[], env = {}) =>
    emac(['play', id, '--seed', '0'], { stdin, isPerson: true, env });

  it('takes actions by word, lists them for ?, and ends with the game', async () => {
    // two and ten are dealt
    const stdin = '?\r10\rPlus\r+\r2\r=\r7\r';
    const { status, stdout, stderr } = await person('gym_cards/EZPoints', stdin);
    expect(status).toBe(0);
    expect(stdout).toContain('Current formula: 10+2.');
    expect(stdout).toContain('Well done: you won, with a return of 10 in 4 steps.');
    expect(stderr).toContain('1\n2\n3\n');
    expect(stderr).toContain('Plus: is not an action; ? lists them');
  });

  it('can start again, and lists the actions on request', async () => {
    const { status, stdout, stderr } = await person('gym_cards/Blackjack', 'help\rreset 3\rstand\r');
    expect(status).toBe(0);
    expect(stdout).toContain("Dealer's card: J. Player's cards: Q, A.");
    expect(stderr.replace(/\s+/g, ' ')).toContain('one of the actions after another: stand, hit.');
    expect((await person('gym_cards/Blackjack', '\u0003')).status).toBe(130);
  });

  it('shows the grid in letters, or the picture if the terminal can', async () => {
    const plain = await person('MiniGrid-Empty-5x5', 'quit\r');
    // at the upper left, facing right: a wall on its left, the goal two ahead and two to the right
    expect(plain.stdout).toBe(
      [
        'get to the green goal square',
        '# # # # # # #',
        '# # # # # # #',
        '# # # # # # #',
        '# # # # # # #',
        '# # # . . G #',
        '# # # . . . #',
        '# # # ^ . . #',
        '',
      ].join('\n'),
    );
    const shown = await person('MiniGrid-Empty-5x5', 'move forward\rquit\r', { COLORTERM: 'truecolor' });
    expect(shown.stdout.match(/▀/g)).toHaveLength(2 * 56 * 28);
    expect(shown.stdout).not.toContain('# # #');
    expect(shown.stdout).toContain('1. move forward: reward 0');
  });
});
