import { EmacError } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { countTokens } from './token-counter.ts';

describe('countTokens', () => {
  it('knows a model’s encoding and falls back to o200k_base', () => {
    const known = countTokens('gpt-4');
    const unknown = countTokens('some-local-model');
    expect(known.encoding).toBe('cl100k_base');
    expect(unknown.encoding).toBe('o200k_base');
    expect([known.isKnown, unknown.isKnown]).toEqual([true, false]);
    // 'hello world' is two tokens in all of OpenAI's encodings (tiktoken's README)
    expect([known('hello world'), unknown('hello world'), unknown('')]).toEqual([2, 2, 0]);
    known.free();
    unknown.free();
  });

  it('counts control tokens and lone surrogates as plain text', () => {
    const count = countTokens('gpt-4o');
    expect(count('<|endoftext|>')).toBeGreaterThan(1);
    expect(count('\ud800')).toBeGreaterThan(0);
    count.free();
  });

  it('refuses to count after it was freed, and can be freed twice', () => {
    const count = countTokens('gpt-4o');
    count.free();
    count.free();
    expect(() => count('x')).toThrow(EmacError);
  });
});
