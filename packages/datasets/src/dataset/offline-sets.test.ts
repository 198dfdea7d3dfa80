/** Datasets within `--max-record-tokens`: a token is a letter here. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TrainConfig } from '@emac/settings';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import type { Lengths } from './offline-lengths.ts';
import { fittingSets, openOfflineSets } from './offline-sets.ts';

const folder = temporaryFolder();

function sets(records: readonly object[], agreed: 'keep' | 'drop', maxLength = 4) {
  const data = join(folder, 'data.jsonl');
  writeFileSync(data, records.map((each) => `${JSON.stringify(each)}\n`).join(''));
  const dataset = { data, validation: null, images: null, assistantTurns: 'all', maxLength, longer: null };
  return openOfflineSets({ dataset, phase: 'dpo', samples: { agreed } } as unknown as TrainConfig)!;
}

const letters = (text: string) => [...text].map((letter) => letter.charCodeAt(0));
const policy = {
  encode: null,
  positions: 100,
  needsPicture: false,
  countPromptTokens: (text: string) => text.length,
  answerTokens: letters,
  writtenText: ({ before, after }: { readonly before: string; readonly after: string }) => ({
    tokens: letters(before + after),
    before: [],
    scored: [...letters(before).map(() => false), ...letters(after).map(() => true)],
  }),
  mostTextIds: (text: string) => text.length,
} as unknown as Lengths['policy'];
const how = {
  policy,
  generation: { minLength: 0, maxLength: 9 },
  text: { observe: 'text', maxTokens: 9 },
  pairs: true,
  skip: false,
} as unknown as Parameters<typeof fittingSets>[1];

// of the first pair four letters are left of each side, "p: a", of the second "q: a" and "q: b"
const pairs = [
  { prompt: 'p: ', chosen: 'ab', rejected: 'ac' },
  { prompt: 'q: ', chosen: 'ab', rejected: 'ba' },
];

it('skips and counts pairs that the limit makes equal, unless equal ones are kept', async () => {
  const fitting = await fittingSets(sets(pairs, 'drop'), how);
  expect([fitting.data.length, fitting.data.number(0), fitting.lengths.data]).toEqual([1, 1, 2]);
  expect(fitting.leftOut.records('data')).toEqual([
    { set: 'data', record: 0, reason: 'both sides are equal within 4 tokens (--max-record-tokens)' },
  ]);
  fitting.close();
  const kept = await fittingSets(sets(pairs, 'keep'), how);
  expect(kept.data.length).toBe(2);
  kept.close();
});

it('says how many records in the published form the limit leaves as they are', () => {
  const published = { text_input: 'go?', text_output: 'yes', text_output_neg: 'no' };
  const some = sets([published, ...pairs], 'drop');
  expect(some.note).toBe(
    'records with text_input, which --max-record-tokens leaves as they are: 1; --max-prompt-tokens and --max-new-tokens apply to them',
  );
  some.close();
  expect(() => sets([published], 'drop')).toThrow(/--max-record-tokens: is for conversations and texts/);
});

it('stops its check on request', async () => {
  const stopped = sets(pairs, 'drop');
  await expect(fittingSets(stopped, { ...how, signal: AbortSignal.abort() })).rejects.toMatchObject({
    code: 'interrupted',
    message: expect.stringMatching(/stopped on request while its records were checked, after 0 of 2$/),
  });
  stopped.close();
});
