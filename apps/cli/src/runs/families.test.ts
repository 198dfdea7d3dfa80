/** The chat families from the command line: an adapter is trained on each, killed, resumed, evaluated, exported and merged. */
import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isLong } from '@emac/testing';
import { describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../captured-io.test.fixture.ts';
import { copiedAt, runKilledAt } from '../killed-runs.test.fixture.ts';

const folder = temporaryFolder();
const fixtures = fileURLToPath(new URL('../../../../packages/backbone/fixtures/families/', import.meta.url));
const names = readdirSync(fixtures);
const small = '--games-per-round 1 --max-steps 3 --beams 1 --eval-games 0 --probe none'.split(' ');
const once = '--rounds 1 --updates-per-episode 1'.split(' ');
const lora = '--train lora --lora-rank 2 --lora-alpha 4 --lora-dropout 0.1'.split(' ');
/** one with three-axis positions, one with tiles and a sliding window */
const killedToo = new Set(['qwen2_5_vl', 'llava_next_mistral']);
const only = (out: string): string =>
  join(
    out,
    readdirSync(out).find((name) => !name.startsWith('.'))!,
  );

/** A tiny model of a family, with positions for the prompts of a whole episode. */
function model(name: string): string {
  const to = join(folder, name);
  if (existsSync(to)) return to;
  cpSync(join(fixtures, name), to, { recursive: true });
  const file = join(to, 'config.json');
  const config = JSON.parse(readFileSync(file, 'utf8')) as { text_config: object };
  Object.assign(config.text_config, { max_position_embeddings: 4096 });
  writeFileSync(file, JSON.stringify(config));
  return to;
}

/** A run's metrics and evaluations. */
function contentOf(run: string): Map<string, string> {
  const kept = /^(metrics\.jsonl|checkpoints\/\d+\/.*)$/;
  const files = readdirSync(run, { recursive: true, encoding: 'utf8' }).filter((name) => kept.test(name));
  return new Map(files.sort().map((name) => [name, readFileSync(join(run, name)).toString('base64')]));
}

async function trained(name: string, out: string, flags: readonly string[]): Promise<string> {
  const asked = ['train', '--model', model(name), ...flags, ...small, '--out', join(folder, out)];
  const { status, stderr } = await emac(asked);
  expect([status, stderr]).toEqual([0, expect.anything()]);
  return only(join(folder, out));
}

/** The others in `npm run check:long`. */
const tried = isLong ? names : ['qwen2_5_vl', 'smolvlm'];

describe.each(tried)('%s', (name) => {
  const shown = ['--model', model(name), '--num-games', '1', '--max-steps', '2'];

  it('is trained by bc and dpo with an adapter, evaluated, exported and merged', async () => {
    const bc = await trained(name, `${name}-bc`, ['--phase', 'bc', ...once, ...lora]);
    const dpo = await trained(name, `${name}-dpo`, [
      '--phase',
      'dpo',
      ...once,
      '--ref',
      bc,
      '--train',
      'projection,lora',
    ]);
    const differing = await emac(['ckpt', 'diff', `${dpo}@0`, dpo, '--json']);
    const changed = (JSON.parse(differing.stdout) as { name: string; largest: number }[])
      .filter(({ largest }) => largest > 0)
      .map(({ name: parameter }) => parameter);
    expect(changed.some((parameter) => parameter.includes('.lora_B'))).toBe(true);
    expect(changed.some((parameter) => parameter.startsWith('language_projection.'))).toBe(true);
    const said = async (ckpt: string, given = shown) => {
      const { status, stdout, stderr } = await emac([
        'eval',
        '--ckpt',
        ckpt,
        ...given,
        '--json',
        '--out',
        'none',
      ]);
      expect([status, stderr]).toEqual([0, expect.anything()]);
      return { ...(JSON.parse(stdout) as object), checkpoint: null };
    };
    const played = await said(dpo);
    const exported = join(folder, `${name}-exported`);
    expect((await emac(['ckpt', 'export', dpo, '--out', exported])).status).toBe(0);
    expect(await said(exported)).toEqual(played);
    const served = await emac(['model', 'check', exported, '--served']);
    expect(served).toMatchObject({ status: 2, stderr: expect.stringContaining('holds an adapter alone') });
    const merged = join(folder, `${name}-merged`);
    const { status, stderr } = await emac(['model', 'merge', model(name), dpo, merged]);
    expect([status, stderr]).toEqual([0, expect.anything()]);
    expect((await emac(['model', 'check', merged])).status).toBe(0);
    expect((await emac(['eval', '--ckpt', merged, ...shown.slice(2), '--out', 'none'])).status).toBe(0);
  });

  // so do other models under an adapter, in experiment's tests
  it.runIf(isLong && killedToo.has(name))(
    'is killed and resumes to the bytes of an undisturbed run',
    async () => {
      const twice = ['--rounds', '2', '--updates-per-episode', '2'];
      const flags = ['--phase', 'bc', ...twice, '--train', 'projection,lora', ...lora.slice(2)];
      const [out, copies] = [join(folder, `${name}-undisturbed`), join(folder, `${name}-killed`)];
      const work = () => trained(name, `${name}-undisturbed`, flags);
      const undisturbed = await copiedAt(['updating:3'], { out, copies, work });
      const killed = runKilledAt('updating:3', copies);
      expect(contentOf(killed)).not.toEqual(contentOf(undisturbed));
      const resumed = await emac(['train', '--resume', killed]);
      expect([resumed.status, resumed.stderr]).toEqual([0, expect.anything()]);
      expect(contentOf(killed)).toEqual(contentOf(undisturbed));
    },
  );
});
