import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { emac, temporaryFolder } from '../../captured-io.test.fixture.ts';

const model = fileURLToPath(new URL('../../../../../packages/backbone/fixtures/text/qwen2', import.meta.url));
const data = join(temporaryFolder(), 'a.jsonl');
const messages = [
  { role: 'user', content: 'go?' },
  { role: 'assistant', content: 'ok' },
];
const lines = [{ messages }, { messages }, { messages: messages.slice(0, 1) }];
writeFileSync(data, lines.map((line) => JSON.stringify(line)).join('\n'));

it('checks a dataset, counts its tokens and shows a record', async () => {
  const plain = await emac(['data', 'check', data]);
  expect([plain.status, plain.stdout]).toEqual([
    0,
    'records: 3 (3 of messages)\nduplicates: 1 (records 1)\nlengths: not checked; name a model with --policy\n',
  ]);
  const checked = await emac(['data', 'check', data, '--policy', model]);
  expect([checked.status, checked.stderr]).toEqual([
    2,
    'record 2: has no answer of the assistant to learn from\n',
  ]);
  expect(checked.stdout).toContain('unusable: 1\n');
  const { stdout } = await emac(['data', 'stats', data, '--policy', model]);
  expect(stdout).toMatch(/│ learned +│ +\d+ │/);
  const longer = await emac(['data', 'stats', data, '--policy', model, '--max-record-tokens', '4']);
  expect(longer.stdout).toContain('longer than 4 tokens: 2\n');
  const view = await emac(['data', 'view', data, '--policy', model, '--record', '1']);
  expect(view.stdout).toContain('<|im_start|>assistant\n⟦ok<|im_end|>⟧\n');
  const none = await emac(['data', 'view', data, '--policy', model, '--record', '7']);
  expect([none.status, none.stderr]).toEqual([64, expect.stringContaining('must be the number of a record')]);
});
