/** Chat templates that write no begin token, as Zephyr's and TinyLlama's do. */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, it, onTestFinished } from 'vitest';

import { openModelFiles } from '../../files/model-files.ts';
import { loadTokenizer } from '../../files/tokenizer.ts';

const fixtures = fileURLToPath(new URL('../../../fixtures/', import.meta.url));

const template = (image: string) =>
  `{% for message in messages %}{{ '<|' + message['role'] + '|>' }}{% if message['content'] is string %}{{ message['content'] }}{% else %}{% for part in message['content'] %}{{ '${image}' if part['type'] == 'image' else part['text'] }}{% endfor %}{% endif %}{{ eos_token }}{% endfor %}{% if add_generation_prompt %}{{ '<|assistant|>' }}{% endif %}`;

function opened(name: string, image = '') {
  const folder = mkdtempSync(join(tmpdir(), 'emac-begin-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  cpSync(join(fixtures, name), folder, { recursive: true });
  writeFileSync(join(folder, 'chat_template.jinja'), template(image));
  const files = openModelFiles(folder);
  const tokenizer = loadTokenizer(files.companions.tokenizer, files.companions.beginToken);
  return { form: files.family.prompts(files, tokenizer), tokenizer };
}

it('a tokenizer adds nothing to what its template writes', () => {
  // apply_chat_template(tokenize=True) of transformers' tokenizers renders, then encodes without special tokens
  const { form, tokenizer } = opened('text/llama');
  const text = '<|user|>Where?<|eot_id|><|assistant|>';
  expect(tokenizer.encode('', { special: true })).toEqual([tokenizer.beginToken]);
  expect(form.turn('Where?', 0).tokens).toEqual(tokenizer.encode(text));
});

it('a processor adds the begin token that its template lacks', () => {
  // ProcessorMixin.apply_chat_template turns special tokens off only for a text that begins with the begin token
  const { form, tokenizer } = opened('families/llava_next_mistral', '<image>');
  const { tokens, before } = form.turn('Where?', 1);
  expect(tokens[0]).toBe(tokenizer.beginToken);
  expect(before).toHaveLength(1);
});
