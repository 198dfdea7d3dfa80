import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadTokenizer, openModelFiles, type TextTokenizer } from '@emac/backbone';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { alphabet, writeRandomModel } from './random-model.test.support.ts';
import { tokenRows } from './token-rows.ts';

const folder = writeRandomModel();
const tokenizers = mkdtempSync(join(tmpdir(), 'emac-tokenizers-'));
afterAll(() => [folder, tokenizers].forEach((each) => rmSync(each, { recursive: true })));
const emmaTiny = fileURLToPath(new URL('../../emma-tiny/model/tokenizer.json', import.meta.url));
const checkpoint = openModelFiles(folder);

/** As LLaMA's: a blank before the text, blanks as '▁', no pieces, characters outside the vocabulary as bytes. */
function llamaTokenizer(): TextTokenizer {
  const words = ['<unk>', '<s>', '</s>', '▁', 'g', 'o', '▁g', '▁go', '<0x0A>', '>', 't', '▁t', '▁to', '>t'];
  const special = (content: string) => ({ id: words.indexOf(content), content, special: true });
  const file = join(tokenizers, 'tokenizer.json');
  const json = {
    added_tokens: [special('<s>'), special('</s>')],
    normalizer: {
      type: 'Sequence',
      normalizers: [
        { type: 'Prepend', prepend: '▁' },
        { type: 'Replace', pattern: { String: ' ' }, content: '▁' },
      ],
    },
    model: {
      type: 'BPE',
      unk_token: '<unk>',
      fuse_unk: true,
      byte_fallback: true,
      vocab: Object.fromEntries(words.map((word, id) => [word, id])),
      merges: ['▁ g', '▁g o', '▁ t', '▁t o', '> t'],
    },
  };
  writeFileSync(file, JSON.stringify(json));
  return loadTokenizer(file);
}

const llama = tokenRows({ checkpoint, tokenizer: llamaTokenizer(), maxTargetTokens: 8 });

describe('a target for a tokenizer that begins texts with a blank', () => {
  it('has the tokens that it later has in the history', () => {
    // 'go\n>' is ▁go \n >, then ' go to' is ▁go ▁to; alone it would be ▁ ▁go ▁to
    const { prompt, responses } = llama.row('go\n>', [' go to']);
    expect(prompt).toEqual([1, 7, 8, 9]);
    expect(responses).toEqual([[7, 12, 2]]);
    expect(llama.prompt('go\n> go to\n>')).toEqual([...prompt, 7, 12, 8, 9]);
  });

  it('has as many tokens without its prompt, up to the longest answer', () => {
    expect(llama.countTarget(' go to')).toBe(3);
    expect(llama.countTarget('')).toBe(1);
    expect(llama.countTarget(' go'.repeat(9))).toBe(8);
  });

  it('begins where the common tokens end when prompt and target are joined, after the prompt of acting', () => {
    // 'go>' is ▁go >, 'go>to' is ▁go >t o
    expect(llama.row('go>', ['to'])).toEqual({ prompt: llama.prompt('go>'), responses: [[13, 5, 2]] });
    expect(llama.prompt('go>')).toEqual([1, 7, 9]);
  });
});

describe.each([
  ['of characters', loadTokenizer(join(folder, 'tokenizer.json')), alphabet.replace(' ', '')],
  ['of emma-tiny', loadTokenizer(emmaTiny), 'abcdeghklmnoprstuwy 123.,>\n'],
  ['as LLaMA’s', llamaTokenizer(), 'got >\n'],
] as const)('rows for a tokenizer %s', (_, tokenizer, characters) => {
  const rows = tokenRows({ checkpoint, tokenizer, maxTargetTokens: 40 });
  const text = fc.string({ unit: fc.constantFrom(...characters), maxLength: 12 });

  it('continue a prompt with a command as the history does', () =>
    fc.assert(
      fc.property(text, text, (start, command) => {
        const prompt = `${start}\n>`;
        const row = rows.row(prompt, [` ${command}`]);
        expect(row.prompt).toEqual(rows.prompt(prompt));
        expect([...row.prompt, ...row.responses[0]!]).toEqual([
          ...rows.prompt(`${prompt} ${command}`),
          rows.endToken,
        ]);
        expect(rows.countTarget(` ${command}`)).toBe(row.responses[0]!.length);
      }),
    ));
});
