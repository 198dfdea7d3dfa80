import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import * as library from './index.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const examples = [...readme.matchAll(/```js\n([^]*?)```/g)].map(([, code]) => code!);

type Run = (names: object, console: object) => Promise<void>;
const AsyncFunction = (async () => undefined).constructor as new (...parts: string[]) => Run;

/** Runs an example with this package; returns its output. */
async function printedBy(code: string): Promise<string[]> {
  const lines: string[] = [];
  const body = code.replace(/import (\{.*\}) from '@emac\/graph';/, 'const $1 = library;');
  const log = (...values: unknown[]) =>
    lines.push(values.map((value) => (typeof value === 'string' ? value : inspect(value))).join(' '));
  await new AsyncFunction('library', 'console', body)(library, { log });
  return lines;
}

describe('the README', () => {
  it.each(examples)('has an example with the output it states: %#', async (code) => {
    const promised = [...code.matchAll(/console\.log\(.*\); \/\/ (.*)/g)].map(([, text]) => text!);
    expect(promised.length).toBeGreaterThan(0);
    expect(await printedBy(code)).toEqual(promised);
  });
});
