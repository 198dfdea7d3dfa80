/** Records of a collection in the forms of other training tools open again as the same prompts and answers. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openDataset } from '../dataset/offline-dataset.ts';
import { inForm, type RecordForm } from './record-form.ts';

const record = {
  image: 'images/0.png',
  text_input: 'You are in a room.\nYour task is to: find a pen.',
  text_output: 'look',
  text_output_neg: 'go to desk 1',
  game_id: 'a',
};
const asked = { role: 'user', content: 'You are in a room.\nYour task is to: find a pen.\n>' };
const look = { role: 'assistant', content: 'look' };

it.each([
  ['messages', { messages: [asked, look] }, { before: [], after: [asked, look], worse: null }],
  [
    'prompt-completion',
    { prompt: [asked], completion: [look] },
    { before: [asked], after: [look], worse: null },
  ],
  [
    'preference',
    { prompt: [asked], chosen: [look], rejected: [{ role: 'assistant', content: 'go to desk 1' }] },
    { before: [asked], after: [look], worse: [{ role: 'assistant', content: 'go to desk 1' }] },
  ],
] as const satisfies readonly [RecordForm, object, object][])('%s', (form, written, read) => {
  const found = inForm(record, form);
  expect(found).toEqual({ ...written, image: 'images/0.png', game_id: 'a' });
  const folder = mkdtempSync(join(tmpdir(), 'emac-form-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'train.json'), JSON.stringify([found]));
  const dataset = openDataset(join(folder, 'train.json'), { flag: '--data', images: null });
  onTestFinished(() => dataset.close());
  expect(dataset.record(0)).toMatchObject({ said: read, image: 'images/0.png', text_output: 'look' });
  expect(dataset.games).toEqual(['a']);
});

const press = { type: 'function', function: { name: 'press', description: 'Presses.', parameters: {} } };
const wait = { role: 'assistant', content: 'I wait.' };
const heard = { role: 'user', content: 'Nothing happens.' };
const called = {
  role: 'assistant',
  content: '',
  tool_calls: [{ id: 'call00000', type: 'function', function: { name: 'press', arguments: { button: 2 } } }],
};

it.each([
  ['messages', { messages: [{ role: 'user', content: 'Press.' }, wait, heard, called] }],
  ['prompt-completion', { prompt: [{ role: 'user', content: 'Press.' }, wait, heard], completion: [called] }],
] as const)('%s of an environment with tools have the tools, and calls as calls', (form, written) => {
  const messages = [{ role: 'user', content: 'Press.' }, wait, heard];
  const text_input = JSON.stringify({ messages, tools: [press] });
  const text_output = '{"name":"press","arguments":{"button":2}}';
  expect(inForm({ image: undefined, text_input, text_output, verbatim: true }, form)).toEqual({
    ...written,
    tools: [press],
  });
});
