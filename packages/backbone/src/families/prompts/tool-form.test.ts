/** Calls in the form that a template writes, in templates of our own wording over a tokenizer of the fixtures. */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { askedText } from '@emac/core';
import { afterAll, expect, it } from 'vitest';
import { openModelFiles } from '../../files/model-files.ts';
import { loadTokenizer } from '../../files/tokenizer.ts';
import { spokenForm } from '../spoken-form.ts';

const folder = mkdtempSync(join(tmpdir(), 'emac-tools-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const turn = (body: string) =>
  `{%- for tool in tools or [] %}{{ 'T' + tool | tojson }}{% endfor %}{%- for m in messages %}{{ '<|im_start|>' + m.role + '\\n' }}${body}{{ m.content + '<|im_end|>\\n' }}{%- endfor %}{%- if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{%- endif %}`;
const objects = turn(
  `{%- for c in m.tool_calls or [] %}{{ '<tool_call>' + c.function.arguments | tojson + c.function.name + '</tool_call>' }}{% endfor %}`,
);
const texts = turn(
  `{%- for c in m.tool_calls or [] %}{%- if c.function.arguments is not string %}{{ raise_exception('text') }}{%- endif %}{{ '[' + c.function.name + c.function.arguments + ']' }}{% endfor %}`,
);
const none = `{%- for m in messages %}{{ '<|im_start|>' + m.role + '\\n' + m.content + '<|im_end|>\\n' }}{%- endfor %}{%- if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{%- endif %}`;

it.each([
  ['objects', objects, '<tool_call>{"a": 1}add</tool_call>'],
  ['texts', texts, '[add{"a":1}]'],
  ['none', none, '{"name":"add","arguments":{"a":1}}'],
])('a call in a template of %s is written by it, before its end token', (name, template, written) => {
  const place = join(folder, name);
  cpSync(fileURLToPath(new URL('../../../fixtures/text/qwen2', import.meta.url)), place, { recursive: true });
  writeFileSync(join(place, 'chat_template.jinja'), template);
  const files = openModelFiles(place);
  const tokenizer = loadTokenizer(files.companions.tokenizer, files.companions.beginToken);
  const { form } = spokenForm(files.family.prompts(files, tokenizer), 'messages', files);
  const parameters = { type: 'object' };
  const tools = [{ type: 'function', function: { name: 'add', description: 'Adds.', parameters } }] as const;
  const asking = { messages: [{ role: 'user', content: 'Go.' }], tools };
  const ids = form.answer(askedText(asking), '{"name":"add","arguments":{"a":1}}');
  expect(tokenizer.decode(ids, { special: true })).toBe(written);
  expect(tokenizer.decode(form.turn(askedText(asking), 0).tokens)).toContain('Adds.');
});
