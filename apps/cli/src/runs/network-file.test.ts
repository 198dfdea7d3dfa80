/** A policy from an `.onnx` file that PyTorch exported (tools/reference/export_actor.py), trained, stopped, resumed, evaluated. */
import { copyFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { onFailpoint } from '@emac/files';
import { describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../captured-io.test.fixture.ts';

const folder = temporaryFolder();
const file = join(folder, 'actor.onnx');
const exported = new URL('../../../../packages/small-networks/fixtures/actor.onnx', import.meta.url);
copyFileSync(fileURLToPath(exported), file);

const flags = '--num-processes 4 --num-steps 8 --steps 64 --batch-size 16 --eval-episodes 4 --keep all';
const typed = ['ppo', '--env', 'gym_cards/NumberLine-v0', '--policy', file, ...flags.split(' ')];

function contentOf(run: string): Map<string, string> {
  const names = readdirSync(run, { recursive: true, encoding: 'utf8' })
    .filter((name) => /^(metrics\.jsonl|checkpoints\/\d+\/.*)$/.test(name))
    .sort();
  return new Map(names.map((name) => [name, readFileSync(join(run, name), 'base64')]));
}

const runIn = (out: string) => join(out, readdirSync(out)[0]!);

describe('a policy from an .onnx file', () => {
  it('trains, resumes after a stop to the same bytes, and evaluates by its run’s name', async () => {
    const out = join(folder, 'undisturbed');
    const { status, stderr } = await emac([...typed, '--out', out]);
    expect(status, stderr).toBe(0);
    expect(stderr).toMatch(/policy actor\.onnx [0-9a-f]{16}: 12, shared\.0\.weight 32×12, /);
    const interruption = new AbortController();
    onFailpoint((passed) => {
      if (passed === 'updating') interruption.abort();
    });
    const stopped = await emac([...typed, '--out', join(folder, 'stopped')], { interruption });
    onFailpoint(null);
    expect(stopped.status, stopped.stderr).toBe(75);
    const run = runIn(join(folder, 'stopped'));
    const resumed = await emac(['train', '--resume', run]);
    expect(resumed.status, resumed.stderr).toBe(0);
    expect(contentOf(run)).toEqual(contentOf(runIn(out)));
    const evaluated = await emac(['eval', '--ckpt', run, '--num-episodes', '2', '--json']);
    expect(evaluated.status, evaluated.stderr).toBe(0);
  });

  it('is rejected if missing, cut short, or with other inputs', async () => {
    const cut = join(folder, 'cut.onnx');
    writeFileSync(cut, readFileSync(file).subarray(0, 900));
    const told = async (env: string, policy: string) => {
      const { status, stderr } = await emac(['ppo', '--env', env, '--policy', policy, '--out', folder]);
      return [status, stderr.trim().split('\n').at(-1)];
    };
    expect(await told('NumberLine-v0', join(folder, 'none.onnx'))).toEqual([
      66,
      expect.stringContaining('none.onnx'),
    ]);
    expect(await told('NumberLine-v0', cut)).toEqual([65, expect.stringContaining('cut.onnx')]);
    expect(await told('MiniGrid-Empty-5x5-v0', file)).toEqual([
      65,
      expect.stringContaining('input "x" reads 12 numbers of a row, there are 984'),
    ]);
  });
});
