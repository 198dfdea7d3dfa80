import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadTokenizer, openModelFiles, type TextTokenizer } from '@emac/backbone';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { alphabet, writeRandomModel } from '../random-model.test.support.ts';
import { tokenRows } from './token-rows.ts';

const folder = writeRandomModel();
const tokenizers = mkdtempSync(join(tmpdir(), 'emac-tokenizers-'));
afterAll(() => [folder, tokenizers].forEach((each) => rmSync(each, { recursive: true })));
const emmaTiny = fileURLToPath(new URL('../../../emma-tiny/model/tokenizer.json', import.meta.url));
const files = openModelFiles(folder);

/** Like LLaMA's: a blank before the text, blanks as '▁', no pieces, unknown characters as bytes. */
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

/** of one picture */
const pictures = [{ tokens: 3 }];

const rowsOf = (tokenizer: TextTokenizer, maxAnswerTokens: number) =>
  tokenRows({ files, form: files.family.prompts(files, tokenizer), maxAnswerTokens });

const llama = rowsOf(llamaTokenizer(), 8);

describe('a target for a tokenizer that begins texts with a blank', () => {
  it('has the same tokens as later in the history', () => {
    // 'go\n>' is ▁go \n >, then ' go to' is ▁go ▁to; alone it would be ▁ ▁go ▁to
    const { prompt, responses } = llama.row({ pictures, text: 'go\n>', answers: [' go to'] });
    expect(prompt).toEqual([1, 7, 8, 9]);
    expect(responses).toEqual([[7, 12, 2]]);
    expect(llama.turn('go\n> go to\n>', 1).tokens).toEqual([...prompt, 7, 12, 8, 9]);
  });

  it('has as many tokens without its prompt, up to the longest answer', () => {
    expect(llama.countAnswer(' go to')).toBe(3);
    expect(llama.countAnswer('')).toBe(1);
    expect(llama.countAnswer(' go'.repeat(9))).toBe(8);
  });

  it('begins after the common tokens if prompt and target are joined; the prompt equals the acting prompt', () => {
    // 'go>' is ▁go >, 'go>to' is ▁go >t o
    expect(llama.row({ pictures, text: 'go>', answers: ['to'] })).toMatchObject({
      visual: 3,
      prompt: llama.turn('go>', 1).tokens,
      responses: [[13, 5, 2]],
    });
    expect(llama.turn('go>', 1).tokens).toEqual([1, 7, 9]);
  });
});

describe('answers given as ids', () => {
  const { row } = llama;

  it('keep their ids: no truncation to the longest answer, no further end token', () => {
    const ids = [[7, 12], [12, 2, 7, 2], new Array<number>(20).fill(5)];
    expect(row({ pictures, text: 'go\n>', answers: [' go to', ...ids] }).responses).toEqual([
      [7, 12, 2],
      ...ids,
    ]);
  });

  it('are rejected if they are not tokens, or do not fit the positions after all pictures', () => {
    // 21 tokens in the vocabulary; 64 positions, 3 visual tokens a picture, begin token and ▁go \n >: leaves 57
    for (const answer of [[], [7, 21], [-1], [0.5]])
      expect(() => row({ pictures, text: 'go\n>', answers: [answer] })).toThrow(
        /one token id or more, each from 0 to 20/,
      );
    const long = (length: number) => [new Array<number>(length).fill(5)];
    expect(row({ pictures, text: 'go\n>', answers: long(57) }).visual).toBe(3);
    expect(() => row({ pictures, text: 'go\n>', answers: long(58) })).toThrow(
      /3 visual tokens.* answer of 58/,
    );
    expect(row({ pictures: [...pictures, ...pictures], text: 'go\n>', answers: long(54) }).visual).toBe(6);
    expect(() => row({ pictures: [...pictures, ...pictures], text: 'go\n>', answers: long(55) })).toThrow(
      /6 visual tokens/,
    );
  });
});

describe.each([
  ['of characters', loadTokenizer(join(folder, 'tokenizer.json')), alphabet.replace(' ', '')],
  ['of emma-tiny', loadTokenizer(emmaTiny), 'abcdeghklmnoprstuwy 123.,>\n'],
  ['as LLaMA’s', llamaTokenizer(), 'got >\n'],
] as const)('rows for a tokenizer %s', (_, tokenizer, characters) => {
  const rows = rowsOf(tokenizer, 40);
  const text = fc.string({ unit: fc.constantFrom(...characters), maxLength: 12 });

  it('continue a prompt with a command as the history does', () =>
    fc.assert(
      fc.property(text, text, (start, command) => {
        const prompt = `${start}\n>`;
        const row = rows.row({ pictures, text: prompt, answers: [` ${command}`] });
        expect(row.prompt).toEqual(rows.turn(prompt, 1).tokens);
        expect([...row.prompt, ...row.responses[0]!]).toEqual([
          ...rows.turn(`${prompt} ${command}`, 1).tokens,
          rows.endToken,
        ]);
        expect(rows.countAnswer(` ${command}`)).toBe(row.responses[0]!.length);
      }),
    ));
});
