/** Collecting from an environment, fine-tuning on the dataset and evaluating, from the command line. */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../../captured-io.test.fixture.ts';

const folder = temporaryFolder();
const model = fileURLToPath(
  new URL('../../../../../packages/backbone/fixtures/families/qwen2_vl', import.meta.url),
);
const { row } = JSON.parse(
  readFileSync(new URL('../../../../../packages/datasets/fixtures/pictures.json', import.meta.url), 'utf8'),
) as { row: { images: [string, string] } };
const [picture] = row.images;
const collecting = ['collect', '--env', 'gym_cards/NumberLine', '--num-samples', '10', '--val-share', '0.3'];

describe('emac collect --env and emac train --method sft', () => {
  it('write a dataset, learn from its folder, and print the next command', async () => {
    const data = join(folder, 'data');
    const collected = await emac([...collecting, '--label-noise', '0.5', '--out', data]);
    expect([collected.status, collected.stdout]).toEqual([
      0,
      expect.stringMatching(/10 samples of \d+ episodes/),
    ]);
    const out = join(folder, 'runs');
    const flags = ['--updates', '2', '--max-new-tokens', '120', '--max-prompt-tokens', '880', '--out', out];
    const reading = ['--rows', 'episodes', '--observe', 'both'];
    const tuned = await emac([
      'sft',
      '--data',
      data,
      '--policy',
      model,
      '--lora-rank',
      '2',
      ...reading,
      ...flags,
    ]);
    expect(tuned.stderr).not.toContain('emac:');
    expect(tuned.status).toBe(0);
    const run = join(out, readdirSync(out)[0]!);
    expect(tuned.stdout).toContain(
      `next: npx emac train --method ppo --env gym_cards/NumberLine-v0 --policy ${model} --init ${run}`,
    );
    const config = readFileSync(join(run, 'config.yaml'), 'utf8');
    for (const line of [
      'parts: lora',
      `validation: ${join(data, 'val.json')}`,
      'updates: 2',
      'rows: episodes',
    ])
      expect(config).toContain(line);
    expect(existsSync(join(run, 'DONE'))).toBe(true);
    const again = await emac(['sft', '--resume', run]);
    expect([again.status, again.stderr]).toEqual([0, expect.stringContaining('is finished')]);
    const place = ['--env', 'gym_cards/NumberLine', '--num-episodes', '1', '--out', 'none', '--json'];
    const evaluated = await emac(['eval', '--ckpt', run, ...place]);
    expect(JSON.parse(evaluated.stdout)).toMatchObject({ games: [{ type: 'gym_cards/NumberLine-v0' }] });
  });

  it('choose the small model for the collected environment', async () => {
    const data = join(folder, 'demonstrations');
    await emac(['collect', '--env', 'tabletop/spatial', '--num-samples', '12', '--out', data]);
    const flags = [
      '--max-updates',
      '1',
      '--batch-size',
      '2',
      '--accumulate',
      '1',
      '--out',
      join(folder, 'robots'),
    ];
    const tuned = await emac(['sft', '--data', data, ...flags]);
    expect([tuned.status, tuned.stdout]).toEqual([0, expect.stringContaining('--policy vla-tiny --init')]);
  });

  it('learn from conversations with two pictures and with one', async () => {
    const one = {
      messages: [
        { role: 'user', content: 'a' },
        { role: 'assistant', content: 'b' },
      ],
    };
    const records = [row, { ...one, images: row.images.slice(1) }, { ...one, images: row.images }];
    const data = join(folder, 'pictured.jsonl');
    writeFileSync(data, records.map((record) => JSON.stringify(record)).join('\n'));
    const out = join(folder, 'pictured');
    const flags = ['--policy', model, '--lora-rank', '2', '--batch-size', '3', '--accumulate', '1'];
    const limits = ['--max-new-tokens', '120', '--max-prompt-tokens', '880', '--out', out];
    const tuned = await emac(['sft', '--data', data, '--epochs', '2', ...flags, ...limits]);
    expect([tuned.status, tuned.stderr]).toEqual([0, expect.not.stringContaining('emac:')]);
    const metrics = readFileSync(join(out, readdirSync(out)[0]!, 'metrics.jsonl'), 'utf8');
    expect(metrics).toMatch(/"samples":3/);
  });

  it('learn from texts alone beside pictures, and answer both', async () => {
    const said = [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'b' },
    ];
    const pictured = { messages: said, images: [picture] };
    const published = { text_input: 'a', text_output: 'b', verbatim: true };
    const records = [{ messages: said }, pictured, published, { prompt: 'a', completion: ' b' }];
    const data = join(folder, 'texts.jsonl');
    writeFileSync(data, records.map((record) => JSON.stringify(record)).join('\n'));
    const flags = ['--policy', model, '--train', 'projection', '--batch-size', '4', '--accumulate', '1'];
    const limits = ['--max-new-tokens', '120', '--max-prompt-tokens', '880'];
    const out = join(folder, 'texts');
    for (const observe of ['image', 'text']) {
      const seeing = ['--epochs', '1', '--observe', observe, '--out', join(out, observe)];
      const tuned = await emac(['sft', '--data', data, ...flags, ...limits, ...seeing]);
      expect([tuned.status, tuned.stderr]).toEqual([0, expect.not.stringContaining('emac:')]);
      const run = join(out, observe, readdirSync(join(out, observe))[0]!);
      expect(readFileSync(join(run, 'metrics.jsonl'), 'utf8')).toMatch(/"samples":4/);
      const evaluated = await emac(['eval', '--ckpt', run, '--data', data, '--json', '--out', 'none']);
      expect([evaluated.status, evaluated.stderr]).toEqual([0, expect.not.stringContaining('emac:')]);
      expect(JSON.parse(evaluated.stdout)).toMatchObject({ samples: 4 });
    }
    // no row with a picture: nothing for the projection to learn
    writeFileSync(data, JSON.stringify({ messages: said }));
    const alone = ['--epochs', '1', '--out', join(out, 'alone')];
    const tuned = await emac(['sft', '--data', data, ...flags, ...limits, ...alone]);
    expect([tuned.status, tuned.stderr]).toEqual([0, expect.not.stringContaining('emac:')]);
  });

  it('name missing flags, and reject flags of other commands', async () => {
    const none = await emac(['sft']);
    expect([none.status, none.stderr]).toEqual([64, expect.stringContaining('--data: is required')]);
    const games = await emac([...collecting, '--out', join(folder, 'other'), '--games', 'builtin:train']);
    expect([games.status, games.stderr]).toEqual([64, expect.stringContaining('--games: belongs to')]);
    const noise = await emac(['collect', '--out', join(folder, 'other'), '--label-noise', '0.1']);
    expect([noise.status, noise.stderr]).toEqual([64, expect.stringContaining('belongs to --env')]);
    const kept = await emac(['sft', '--data', folder, '--resume', folder]);
    expect([kept.status, kept.stderr]).toEqual([64, expect.stringContaining('own settings')]);
  });
});
