/** Adapters from the command line: trained, rejected, exported, merged, and opened by every command with a policy. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../captured-io.test.fixture.ts';

const folder = temporaryFolder();
const small =
  '--rounds 1 --games-per-round 2 --max-steps 4 --updates-per-episode 1 --beams 1 --eval-games 0 --probe none'.split(
    ' ',
  );
const lora =
  '--train lora --lora-rank 2 --lora-alpha 4 --lora-dropout 0.1 --lora-targets q_proj,v_proj'.split(' ');
const only = (out: string): string => join(out, readdirSync(out)[0]!);

let run: string;
beforeAll(async () => {
  const out = join(folder, 'bc');
  const { status } = await emac(['train', '--phase', 'bc', ...lora, ...small, '--out', out]);
  expect(status).toBe(0);
  run = only(out);
});

describe('emac train --train lora', () => {
  it('records its settings in the form of flags', () => {
    const config = readFileSync(join(run, 'config.yaml'), 'utf8');
    expect(config).toContain(
      'trained:\n  alpha: 4\n  dropout: 0.1\n  parts: lora\n  rank: 2\n  targets: q_proj,v_proj\n',
    );
  });

  it('continues into dpo with the same adapter', async () => {
    const out = join(folder, 'dpo');
    const asked = [
      'train',
      '--phase',
      'dpo',
      '--ref',
      run,
      '--train',
      'projection,lora',
      ...small,
      '--out',
      out,
    ];
    expect((await emac(asked)).status).toBe(0);
    expect(existsSync(join(only(out), 'reference', 'adapter_model.safetensors'))).toBe(true);
  });

  it('learns from a dataset', async () => {
    const [data, out] = [join(folder, 'data'), join(folder, 'offline')];
    const collected = ['collect', '--num-games', '1', '--max-steps', '3', '--out', data];
    expect((await emac(collected)).status).toBe(0);
    const offline = [
      '--data',
      join(data, 'train.json'),
      '--epochs',
      '1',
      '--beams',
      '1',
      '--eval-games',
      '0',
    ];
    const { status } = await emac(['train', '--phase', 'bc', ...lora, ...offline, '--out', out]);
    expect(status).toBe(0);
    const differing = await emac(['ckpt', 'diff', `${only(out)}@0`, only(out), '--json']);
    const changed = (JSON.parse(differing.stdout) as { name: string; largest: number }[]).filter(
      ({ largest }) => largest > 0,
    );
    expect(changed.length).toBeGreaterThan(0);
    expect(changed.every(({ name }) => name.includes('.lora_'))).toBe(true);
  });

  it.each([
    [['--lora-rank', '4'], 64, /^emac: --lora-rank: belongs to --train lora, which was not given/],
    [['--train', 'adapter'], 64, /--train: .*projection,lora/],
    [['--train', 'lora', '--lora-rank', '0'], 64, /--lora-rank/],
    [['--train', 'lora', '--lora-dropout', '1'], 64, /--lora-dropout/],
    [['--train', 'lora', '--lora-targets', 'wq'], 64, /--lora-targets: "wq" matches no projection/],
  ])('rejects %j', async (flags, expected, message) => {
    const out = join(folder, 'refused');
    const { status, stderr } = await emac(['train', '--phase', 'bc', ...flags, ...small, '--out', out]);
    expect([status, stderr]).toEqual([expected, expect.stringMatching(message)]);
    expect(existsSync(out)).toBe(false);
  });

  it('describes a dry run, and makes no folder', async () => {
    const asked = ['train', '--phase', 'bc', ...lora, ...small, '--out', join(folder, 'dry'), '--dry-run'];
    const { status } = await emac(asked);
    expect([status, existsSync(join(folder, 'dry'))]).toEqual([0, false]);
  });
});

describe('a run with an adapter', () => {
  it('is evaluated, inspected, compared and played', async () => {
    const evaluated = await emac(['eval', '--ckpt', run, '--num-games', '1', '--max-steps', '2']);
    expect(evaluated.status).toBe(0);
    const inspected = await emac(['ckpt', 'inspect', run]);
    expect(inspected.stdout).toContain('language_model.model.layers.0.self_attn.q_proj.lora_A.weight');
    const differing = await emac(['ckpt', 'diff', `${run}@0`, run]);
    expect(differing.stdout).toContain('lora_B.weight');
    const agent = ['play', 'builtin:valid_unseen/0', '--agent', run, '--max-steps', '2'];
    const played = await emac(agent);
    expect(played.status).toBe(0);
  });

  it('exports a folder that evaluates alone and that PEFT reads', async () => {
    const out = join(folder, 'exported');
    const { status, stdout } = await emac(['ckpt', 'export', run, '--out', out]);
    expect([status, stdout]).toEqual([
      0,
      `${out}: adapter_config.json, adapter_model.safetensors, projection.safetensors\n`,
    ]);
    expect(readdirSync(out).sort()).toEqual([
      'MANIFEST.json',
      'adapter_config.json',
      'adapter_model.safetensors',
      'projection.safetensors',
      'state.json',
    ]);
    const json = ['--num-games', '1', '--max-steps', '2', '--json'];
    const result = async (ckpt: string) => {
      const { stdout: text } = await emac(['eval', '--ckpt', ckpt, ...json]);
      return { ...(JSON.parse(text) as object), checkpoint: null };
    };
    expect(await result(out)).toEqual(await result(run));
    const whole = await emac(['ckpt', 'export', run, '--whole', '--out', join(folder, 'whole')]);
    expect([whole.status, whole.stderr]).toEqual([64, expect.stringMatching(/emac model export BASE/)]);
  });

  it('merges into a model that evaluates alike', async () => {
    const out = join(folder, 'merged');
    const merged = await emac(['model', 'merge', 'emma-tiny', run, out]);
    expect([merged.status, merged.stdout]).toEqual([
      0,
      `${out}: a model folder, merged: 10 projections of the language model and the trained layer before it\n`,
    ]);
    expect((await emac(['eval', '--ckpt', out, '--num-games', '1', '--max-steps', '2'])).status).toBe(0);
    for (const [words, message] of [
      [['emma-tiny', run], /BASE ADAPTER OUT, got 2 names/],
      [['emma-tiny', run, out], /already exists/],
    ] as const) {
      const { status, stderr } = await emac(['model', 'merge', ...words]);
      expect([status > 0, stderr]).toEqual([true, expect.stringMatching(message)]);
    }
  });
});
