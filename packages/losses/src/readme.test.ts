import { readFileSync } from 'node:fs';
import { inspect } from 'node:util';
import { expect, it } from 'vitest';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const examples = [...readme.matchAll(/```js\n([^]*?)```/g)].map(([, code]) => code!);

type Run = (packages: Readonly<Record<string, unknown>>, console: object) => Promise<void>;
const AsyncFunction = (async () => undefined).constructor as new (...parts: string[]) => Run;

/** Runs an example with the packages that it imports; gives what it prints. */
async function printedBy(code: string): Promise<string[]> {
  const packages: Record<string, unknown> = {};
  for (const [, name] of code.matchAll(/^import .* from '(.*)';$/gm))
    packages[name!] = (await import(name!)) as unknown;
  const body = code.replace(/^import (\{.*\}) from '(.*)';$/gm, "const $1 = packages['$2'];");
  const lines: string[] = [];
  const log = (...values: unknown[]) =>
    lines.push(values.map((value) => (typeof value === 'string' ? value : inspect(value))).join(' '));
  await new AsyncFunction('packages', 'console', body)(packages, { log });
  return lines;
}

it('the README has an example that prints what it says', async () => {
  expect(examples).toHaveLength(1);
  const promised = [...examples[0]!.matchAll(/console\.log\(.*\); \/\/ (.*)/g)].map(([, text]) => text!);
  expect(promised.length).toBeGreaterThan(2);
  expect(await printedBy(examples[0]!)).toEqual(promised);
});
