import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { Random } from '@emac/core';
import { generateGame } from '@emac/world';
import { describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../captured-io.test.fixture.ts';

const folder = temporaryFolder();
const generated = generateGame({ random: Random.fromSeed('play'), split: 'train', dialect: 'put' });
const game = join(folder, generated.id, 'game.tw-pddl');
mkdirSync(join(folder, generated.id), { recursive: true });
writeFileSync(game, JSON.stringify(generated.file));

function objects(stdout: string): Record<string, unknown>[] {
  expect(stdout.endsWith('\n')).toBe(true);
  return stdout
    .slice(0, -1)
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

describe('emac play --json', () => {
  it('prints the reset and one object a line, with fields in the documented order', async () => {
    const commands = join(folder, 'commands.txt');
    writeFileSync(commands, `${generated.file.walkthrough.join('\n')}\n`);
    const { status, stdout, stderr } = await emac(['play', game, '--commands', commands, '--json']);
    expect([status, stderr]).toEqual([0, '']);
    const steps = objects(stdout);
    expect(Object.keys(steps[0]!)).toEqual([
      'step',
      'command',
      'observation',
      'admissible',
      'score',
      'done',
      'won',
    ]);
    expect(steps.map(({ command }) => command)).toEqual([null, ...generated.file.walkthrough]);
    expect(steps.map(({ step }) => step)).toEqual(steps.map((_, index) => index));
    expect(steps.map(({ won }) => won)).toEqual(steps.map((_, index) => index === steps.length - 1));
    expect(steps.at(-1)).toMatchObject({ score: 1, done: true, won: true });
  });

  it('passes every line unchanged, including empty ones and carriage returns', async () => {
    const { stdout } = await emac(['play', game, '--json', '--commands', '-'], { stdin: 'look\r\n\ndance ' });
    const steps = objects(stdout);
    expect(steps.map(({ command }) => command)).toEqual([null, 'look\r', '', 'dance ']);
    expect(steps[2]!['observation']).toBe('Nothing happens.');
    expect(steps[3]!['admissible']).toEqual(steps[2]!['admissible']);
  });

  it('ends at the step limit without a win, and reads no further', async () => {
    const argv = ['play', game, '--json', '--commands', '-', '--max-steps', '2'];
    const steps = objects((await emac(argv, { stdin: 'look\nlook\nlook\n' })).stdout);
    expect(steps.map(({ done }) => done)).toEqual([false, false, true]);
    expect(steps.at(-1)!['won']).toBe(false);
  });

  it('prints words without --json', async () => {
    const { stdout } = await emac(['play', join(folder, generated.id)], { stdin: 'look\n' });
    expect(stdout).toMatch(/Your task is to: .*\n> look\nYou are in the middle of a room/);
  });
});

interface Golden {
  readonly game: string;
  readonly file: string;
  readonly episode: string;
  readonly step: number;
  readonly command: string | null;
  readonly obs: string;
  readonly admissible: readonly string[];
  readonly done: boolean;
  readonly won: boolean;
}

const data = process.env['EMAC_TEST_DATA'];

describe.skipIf(!data)('emac play --json on real games (needs EMAC_TEST_DATA)', () => {
  it('prints what ALFWorld itself prints, in two dialects', async () => {
    const text = gunzipSync(readFileSync(join(data!, 'alfworld', 'golden_transcripts.jsonl.gz'))).toString();
    const all = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Golden);
    for (const file of ['game.2.1.1.tw-pddl', 'game.2.1.2.tw-pddl']) {
      const first = all.find((each) => each.file === file)!;
      const golden = all.filter(
        (each) => each.file === file && each.game === first.game && each.episode === first.episode,
      );
      const stdin = golden
        .slice(1)
        .map(({ command }) => `${command}\n`)
        .join('');
      const path = join(data!, 'alfworld', 'games', first.game, file);
      const { stdout } = await emac(['play', path, '--json', '--commands', '-'], { stdin });
      const expected = golden.map(({ step, command, obs: observation, admissible, done, won }) => ({
        step,
        command,
        observation,
        admissible,
        score: won ? 1 : 0,
        done,
        won,
      }));
      expect(golden.length).toBeGreaterThan(20);
      expect(objects(stdout)).toEqual(expected);
    }
  });
});
