import { describe, expect, it } from 'vitest';
import { codeHash } from './code-hash.ts';

describe('codeHash', () => {
  it('is a SHA-256 and the same every time', () => {
    expect(codeHash()).toMatch(/^[0-9a-f]{64}$/);
    expect(codeHash()).toBe(codeHash());
  });
});
