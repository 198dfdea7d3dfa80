/** Files of conversations, completions and pairs, trained on as they are. */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../captured-io.test.fixture.ts';

const folder = temporaryFolder();
const model = fileURLToPath(new URL('../../../../packages/backbone/fixtures/text/llama', import.meta.url));
const small =
  `--policy ${model} --train lora --max-prompt-tokens 256 --max-new-tokens 16 --batch-size 2 --eval-games 0`.split(
    ' ',
  );
const messages = ['red', 'blue'].map((colour) => [
  { role: 'user', content: `Say ${colour}.` },
  { role: 'assistant', content: colour },
  { role: 'user', content: 'Again.' },
  { role: 'assistant', content: colour },
]);
const file = (name: string, records: readonly unknown[]) => {
  const path = join(folder, name);
  writeFileSync(path, records.map((each) => `${JSON.stringify(each)}\n`).join(''));
  return path;
};
const data = file(
  'said.jsonl',
  messages.map((each) => ({ messages: each })),
);
const runIn = (out: string) => join(folder, out, readdirSync(join(folder, out))[0]!);
const lossesOf = (out: string) =>
  readFileSync(join(runIn(out), 'metrics.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)
    .flatMap(({ kind, loss }) => (kind === 'round' ? [Number(loss)] : []));

describe('a file of conversations', () => {
  it('is learned by sft: the loss falls', async () => {
    const epochs = ['--epochs', '6', '--lr', '2e-2', '--out', join(folder, 'sft')];
    expect((await emac(['train', '--method', 'sft', '--data', data, ...small, ...epochs])).status).toBe(0);
    const losses = lossesOf('sft');
    expect(losses).toHaveLength(6);
    expect(losses.at(-1)!).toBeLessThan(0.8 * losses[0]!);
    const evaluated = await emac(['eval', '--ckpt', runIn('sft'), '--data', data, '--beams', '1']);
    expect(evaluated.stdout).toMatch(/all +│ +2 │/);
  });

  it('gives pairs to dpo, and no other', async () => {
    const [one, other] = messages as [(typeof messages)[0], (typeof messages)[0]];
    const pairs = file('pairs.jsonl', [
      { chosen: one.slice(0, 2), rejected: [one[0], other[1]] },
      { prompt: one.slice(2, 3), chosen: 'red', rejected: 'blue' },
    ]);
    const dpo = ['train', '--method', 'dpo', '--ref', runIn('sft'), '--epochs', '2', ...small];
    const trained = await emac([...dpo, '--data', pairs, '--out', join(folder, 'dpo')]);
    expect(trained.stderr).not.toContain('emac:');
    // the reference is the policy's start: the loss of the first update is ln 2 and half the chosen answers' −log p
    expect(lossesOf('dpo')).toHaveLength(2);
    const refused = await emac([...dpo, '--data', data, '--out', join(folder, 'none')]);
    expect(refused.stderr).toContain(
      'record 0: chosen and rejected: are missing, learning from pairs needs them',
    );
  });

  it('needs a chat template', async () => {
    const base = fileURLToPath(
      new URL('../../../../packages/backbone/fixtures/text/mistral', import.meta.url),
    );
    const { stderr } = await emac(['train', '--method', 'sft', '--data', data, ...small.with(1, base)]);
    expect(stderr).toMatch(/--data: .*mistral has no chat template; .*or texts in place of messages/);
  });
});
