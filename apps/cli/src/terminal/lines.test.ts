import { Buffer } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { linesIn } from './lines.ts';

async function linesOf(chunks: readonly (Buffer | string)[]): Promise<string[]> {
  const source = (async function* () {
    yield* chunks;
  })();
  return collected(linesIn(source));
}

async function collected(source: AsyncIterable<string>): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of source) lines.push(line);
  return lines;
}

describe('linesIn', () => {
  it.each([
    ['', []],
    ['look', ['look']],
    ['look\n', ['look']],
    ['\n', ['']],
    ['look\n\ngo\n', ['look', '', 'go']],
    ['look\n\n', ['look', '']],
    ['  a \r\nb', ['  a \r', 'b']],
  ])('splits %j', async (text, lines) => {
    expect(await linesOf([Buffer.from(text)])).toEqual(lines);
  });

  it('does not depend on the ends of chunks, even within a character', async () => {
    const texts = fc.stringMatching(/^[aé😀\n ]*$/u);
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        const bytes = Buffer.from(text);
        const single = Array.from(bytes, (byte) => Buffer.from([byte]));
        expect(await linesOf(single)).toEqual(await linesOf([bytes]));
      }),
    );
  });
});
