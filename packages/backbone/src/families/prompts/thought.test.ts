/** A chat template that ends its prompt with `<think>`, as those of DeepSeek-R1 and QwQ do. */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, it, onTestFinished } from 'vitest';

import { openModelFiles } from '../../files/model-files.ts';
import { loadTokenizer } from '../../files/tokenizer.ts';

const source = fileURLToPath(new URL('../../../fixtures/text/qwen2', import.meta.url));

const template = (prefilled: string) =>
  "{% for message in messages %}{% if message['role'] == 'user' %}{{ '<|im_start|>user' + message['content'] }}{% endif %}" +
  "{% if message['role'] == 'assistant' %}{% set content = message['content'] %}{% if '</think>' in content %}" +
  "{% set content = content.split('</think>')[-1] %}{% endif %}{{ '<|im_start|>assistant' + content + '<|im_end|>' }}{% endif %}{% endfor %}" +
  `{% if add_generation_prompt %}{{ '<|im_start|>assistant${prefilled}' }}{% endif %}`;

function opened(prefilled: string) {
  const folder = mkdtempSync(join(tmpdir(), 'emac-thought-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  cpSync(source, folder, { recursive: true });
  writeFileSync(join(folder, 'chat_template.jinja'), template(prefilled));
  const files = openModelFiles(folder);
  const tokenizer = loadTokenizer(files.companions.tokenizer, files.companions.beginToken);
  const text = (ids: readonly number[]) => tokenizer.decode([...ids], { special: true });
  return { form: files.family.prompts(files, tokenizer), text };
}

it.each(['<think>', String.raw`<think>\n`])(
  'a prompt that ends with %s has an empty thought',
  (prefilled) => {
    const { form, text } = opened(prefilled);
    expect(text(form.turn('Where?', 0).tokens)).toBe(
      '<|im_start|>userWhere?<|im_start|>assistant<think>\n\n</think>\n\n',
    );
    expect(text(form.answer('Where?', 'go to desk 1'))).toBe('go to desk 1');
    expect(text([form.endToken])).toBe('<|im_end|>');
    // so do the requests of an agent
    const asked = form.conversation!.asked({ messages: [{ role: 'user', content: 'Where?' }] }, 0);
    expect(asked.tokens).toEqual(form.turn('Where?', 0).tokens);
    // earlier answers stand as the template writes them
    expect(text(form.conversation!.turn(['Where?', 'go to desk 1', 'And now?'], 0).tokens)).toBe(
      '<|im_start|>userWhere?<|im_start|>assistantgo to desk 1<|im_end|><|im_start|>userAnd now?<|im_start|>assistant<think>\n\n</think>\n\n',
    );
  },
);

it('a template that puts something else before an answer is refused with the end of its prompt', () => {
  expect(() => opened('<hm>')).toThrow(/which ends with ".*assistant<hm>"; /);
});
