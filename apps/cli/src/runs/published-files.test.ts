/** Published files unchanged, from the command line: a model in parts, and a trained projection as `.pth`. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openSafetensors, readFloat32 } from '@emac/files';
import { describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../captured-io.test.fixture.ts';

const fixtures = fileURLToPath(new URL('../../../../packages/backbone/fixtures/torch/', import.meta.url));
const [whole, parts] = [join(fixtures, 'whole'), join(fixtures, 'parts/model.json')];
const published = join(fixtures, 'emma_checkpoint_0.pth');
const folder = temporaryFolder();
const speech = ['--beams', '1', '--max-new-tokens', '5', '--max-steps', '2'];
const small = [
  ...speech,
  '--rounds',
  '1',
  '--games-per-round',
  '1',
  '--updates-per-episode',
  '2',
  '--probe',
  'none',
];

async function train(name: string, flags: readonly string[]): Promise<{ run: string; stderr: string }> {
  const out = join(folder, name);
  const { status, stderr } = await emac(['train', ...small, '--eval-games', '1', '--out', out, ...flags]);
  expect([status, stderr.match(/^emac:.*/m)?.[0]]).toEqual([0, undefined]);
  return { run: join(out, readdirSync(out)[0]!), stderr };
}

function latest(run: string): string {
  return join(run, 'checkpoints', readFileSync(join(run, 'checkpoints', 'latest'), 'utf8').trim());
}

/** All outputs of training. */
function bytesOf(run: string): string[] {
  const checkpoint = readdirSync(latest(run)).sort();
  return [join(run, 'metrics.jsonl'), ...checkpoint.map((name) => join(latest(run), name))].map((path) =>
    readFileSync(path).toString('base64'),
  );
}

const evaluate = (flags: readonly string[]) =>
  emac(['eval', ...speech, '--num-games', '1', '--json', ...flags]);

describe('a model composed of parts', () => {
  it('trains to the bytes of the same model in one folder; each evaluates the other’s result', async () => {
    const [folderRun, partsRun] = [
      await train('whole', ['--phase', 'bc', '--model', whole]),
      await train('parts', ['--phase', 'bc', '--model', parts]),
    ];
    expect(bytesOf(partsRun.run)).toEqual(bytesOf(folderRun.run));
    const crossed = await evaluate(['--ckpt', folderRun.run, '--model', parts]);
    expect(crossed.status).toBe(0);
    expect(JSON.parse(crossed.stdout)).toMatchObject({ games: [{ won: false, steps: 2 }] });
  });

  it('evaluates as a policy', async () => {
    const [one, other] = [await evaluate(['--ckpt', whole]), await evaluate(['--ckpt', parts])];
    expect(other.status).toBe(0);
    const {
      checkpoint: _path,
      policy: _name,
      ...result
    } = JSON.parse(other.stdout) as Record<string, unknown>;
    expect(JSON.parse(one.stdout)).toMatchObject(result);
  });
});

describe('a published checkpoint of EMMA', () => {
  it('evaluates, with a note that only its shapes are checked', async () => {
    const { status, stderr } = await evaluate(['--ckpt', published, '--model', parts]);
    expect(status).toBe(0);
    expect(stderr).toMatch(
      /emma_checkpoint_0\.pth: .* only shapes are checked; its ln_vision replaces the vision encoder's last norm/,
    );
  });

  it('is rejected by a model of other sizes', async () => {
    const { status, stderr } = await evaluate(['--ckpt', published]);
    expect(status).toBe(65);
    expect(stderr).toMatch(/^emac: .*language_projection|post_layernorm/m);
  });

  it('is the start and reference of dpo, with its norm in every checkpoint', async () => {
    const { run, stderr } = await train('dpo', ['--phase', 'dpo', '--model', parts, '--ref', published]);
    expect(stderr.match(/only shapes are checked/g)).toHaveLength(1);
    const [first] = readFileSync(join(run, 'metrics.jsonl'), 'utf8')
      .split('\n')
      .map((line) => JSON.parse(line || '{}') as Record<string, unknown>)
      .filter(({ kind }) => kind === 'update');
    // before its first update the policy is its reference: both rewards are 0, except for rounding in differently padded rows
    for (const reward of ['w_reward', 'l_reward'])
      expect(Math.abs(first![reward] as number), reward).toBeLessThan(1e-6);
    const kept = openSafetensors(join(latest(run), 'projection.safetensors'));
    const norm = openSafetensors(join(fixtures, 'emma_checkpoint_0.safetensors'));
    for (const part of ['weight', 'bias'])
      expect(readFloat32(kept, `vision_model.post_layernorm.${part}`)).toEqual(
        readFloat32(norm, `ln_vision.${part}`),
      );
    const { status, stdout } = await evaluate(['--ckpt', run, '--model', parts]);
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ games: [{ won: false, steps: 2 }] });
  });

  it('starts behaviour cloning with --init', async () => {
    const { run } = await train('init', ['--phase', 'bc', '--model', parts, '--init', published]);
    expect(openSafetensors(join(latest(run), 'projection.safetensors')).tensors.size).toBe(4);
  });
});
