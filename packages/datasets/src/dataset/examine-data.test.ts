import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openModelFiles } from '@emac/backbone';
import { expect, it, onTestFinished } from 'vitest';
import { examine, markedText, recordReader } from './examine-data.ts';
import { openDataset } from './offline-dataset.ts';

const model = fileURLToPath(new URL('../../../backbone/fixtures/text/qwen2', import.meta.url));
const reader = recordReader(openModelFiles(model));

const opened = (records: readonly object[]) => {
  const folder = mkdtempSync(join(tmpdir(), 'emac-examined-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'a.json');
  writeFileSync(path, JSON.stringify(records));
  const dataset = openDataset(path, { flag: 'DATA', images: null, labels: true });
  onTestFinished(() => dataset.close());
  return dataset;
};

const user = (content: string) => ({ role: 'user', content });
const assistant = (content: string) => ({ role: 'assistant', content });

it('counts forms, duplicates, tokens, and records that cannot be learned', () => {
  const ten = { prompt: 'go', completion: ' to desk 1' };
  const dataset = opened([
    ten,
    { messages: [user('go?'), assistant('ok')] },
    ten,
    { messages: [user('go?')] },
    { text: 'go '.repeat(reader.positions) },
  ]);
  const found = examine(dataset, { reader, turns: 'all' });
  expect(found.forms).toEqual({ 'prompt, completion': 2, messages: 2, text: 1 });
  expect(found.duplicates).toEqual({ count: 1, first: [2] });
  expect(found.unusable.first.map(({ record }) => record)).toEqual([3, 4]);
  expect(found.unusable.first[0]!.reason).toContain('no answer of the assistant');
  expect(found.unusable.first[1]!.reason).toMatch(/has \d+ tokens, the model \d+ positions/);
  // targets: those of " to desk 1" and the end token twice, and of "ok" and the end token
  const { tokens } = reader.read(dataset.record(0), 'all');
  const { scored } = reader.read(dataset.record(1), 'all');
  const [one, other] = [tokens.length - 1, scored.filter(Boolean).length];
  expect(found.tokens!.targets).toMatchObject({
    sum: 2 * one + other,
    least: Math.min(one, other),
    most: Math.max(one, other),
  });
  expect(examine(dataset, { reader: null, turns: 'all' }).tokens).toBeNull();
});

it('shows a record as its model reads it, targets marked', () => {
  const dataset = opened([{ messages: [user('go?'), assistant('ok'), user('sure?'), assistant('yes')] }]);
  const shown = (turns: 'all' | 'last') => markedText(reader.read(dataset.record(0), turns), reader);
  const before =
    '<|im_start|>system\nYou are a helpful AI assistant.<|im_end|>\n<|im_start|>user\ngo?<|im_end|>\n<|im_start|>assistant\n';
  const middle = '\n<|im_start|>user\nsure?<|im_end|>\n<|im_start|>assistant\n';
  expect(shown('all')).toBe(`${before}⟦ok<|im_end|>⟧${middle}⟦yes<|im_end|>⟧\n`);
  expect(shown('last')).toBe(`${before}ok<|im_end|>${middle}⟦yes<|im_end|>⟧\n`);
});
