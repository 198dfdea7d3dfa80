/** A preset also sets the student's decoding, from `--help` to the evaluation of the trained policy. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadCheckpoint, resolveCheckpoint } from '@emac/runs';
import { describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../captured-io.test.fixture.ts';

const folder = temporaryFolder();
const small =
  '--rounds 1 --games-per-round 1 --max-steps 2 --updates-per-episode 1 --eval-games 0 --probe none'.split(
    ' ',
  );

async function trained(name: string, given: readonly string[]): Promise<string> {
  const out = join(folder, name);
  const { status, stderr } = await emac(['train', ...small, '--out', out, ...given]);
  expect([status, stderr]).toEqual([0, expect.not.stringContaining('emac:')]);
  return join(out, readdirSync(out)[0]!);
}

function generationOf(run: string) {
  const { state } = loadCheckpoint(resolveCheckpoint(run).folder);
  return (state['policy'] as { readonly generation: object }).generation;
}

describe('a preset', () => {
  it('shows the student’s decoding in --help', async () => {
    const { stdout } = await emac(['train', '--help']);
    const row = (name: string) =>
      stdout
        .slice(stdout.indexOf('Presets '))
        .split('\n')
        .map((line) => line.trim().split(/ {2,}/))
        .find(([first]) => first === name);
    // paper, published-code, small-scale, tiny: the published server calls generate with num_beams 5, min_length 5 and max_length 128; the
    // small-scale run uses that server; Table 9 of the paper has the beams alone
    expect(row('beams')).toEqual(['beams', '5', '5', '5', '5']);
    expect(row('min-length')).toEqual(['min-length', '1', '5', '5', '1']);
    expect(row('max-new-tokens')).toEqual(['max-new-tokens', '128', '128', '128', '128']);
  });

  it('with published lengths trains a policy that keeps them, in evaluations too', async () => {
    const run = await trained('published', ['--phase', 'bc', '--preset', 'published-code']);
    expect(generationOf(run)).toEqual({ beams: 5, minLength: 5, maxLength: 128 });
    const config = readFileSync(join(run, 'config.yaml'), 'utf8');
    expect(config).toMatch(/^ {2}minLength: 5$/m);
    const data = join(folder, 'answers');
    const collect = ['collect', '--num-games', '1', '--max-steps', '3', '--beams', '1', '--out', data];
    expect(await emac(collect)).toMatchObject({ status: 0 });
    const evaluation = ['eval', '--ckpt', run, '--data', join(data, 'train.json'), '--json'];
    const [own, five, one] = await Promise.all([
      emac(evaluation),
      emac([...evaluation, '--min-length', '5']),
      emac([...evaluation, '--min-length', '1']),
    ]);
    expect(own.stdout).toBe(five.stdout);
    expect(own.stdout).not.toBe(one.stdout);
  });

  it('is weaker than a flag, and stronger than the policy training starts from', async () => {
    const flag = ['--phase', 'bc', '--preset', 'published-code', '--min-length', '2', '--beams', '1'];
    const run = await trained('flag', flag);
    expect(generationOf(run)).toEqual({ beams: 1, minLength: 2, maxLength: 128 });
    const next = await trained('next', ['--phase', 'dpo', '--ref', run, '--preset', 'small-scale']);
    expect(generationOf(next)).toEqual({ beams: 5, minLength: 5, maxLength: 128 });
    // a preset without these settings keeps the earlier policy's
    const tiny = await trained('tiny', ['--phase', 'dpo', '--ref', run]);
    expect(generationOf(tiny)).toEqual({ beams: 1, minLength: 2, maxLength: 128 });
  });

  it('keeps its lengths beside a conflicting flag', async () => {
    const argv = ['train', ...small, '--phase', 'bc', '--preset', 'small-scale', '--max-new-tokens', '4'];
    const { status, stderr } = await emac([...argv, '--out', join(folder, 'none')]);
    expect([status, stderr]).toEqual([
      64,
      expect.stringContaining('--min-length: must not be over --max-new-tokens, got 5 and 4'),
    ]);
  });
});
