import { EmacError } from '@emac/core';
import { describe, expect, it } from 'vitest';

import { patternTime, repeatsChoices } from './pattern-time.ts';

describe('a tokenizer’s expression', () => {
  it.each(['(?:[a-z ]+)+X', '(a|b)*', '(?: ?x)+', '((a?))*b', '(?:a{1,3}){2,}', '[[](?:a+)+X'])(
    '%s repeats a group that matches in several ways',
    (pattern) => expect(repeatsChoices(pattern)).toBe(true),
  );

  // of GPT-2, Qwen2.5, Bloom and SuperBPE
  it.each([
    "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+",
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
    ' ?[^(\\s|[.,!?…。，、।۔،])]+',
    '(?=(\\d{3})+(?!\\d))',
  ])('%s does not', (pattern) => expect(repeatsChoices(pattern)).toBe(false));

  it('is ended when it repeats itself without end, with the file’s name', () => {
    const pattern = '(?:[a-z ]+)+X';
    const inTime = patternTime({
      parts: { pre_tokenizer: { pattern: { Regex: pattern } } },
      file: 'm/tokenizer.json',
      time: { least: 50, perCharacter: 0 },
    });
    const endless = 'a'.repeat(200);
    const split = () => inTime(endless.length, () => new RegExp(pattern, 'u').test(endless));
    expect(split).toThrow(EmacError);
    expect(split).toThrow(/^m\/tokenizer\.json: a text of 200 characters is not read within 0\.05 s/);
  });
});
