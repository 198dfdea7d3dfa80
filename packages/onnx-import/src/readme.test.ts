import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { inspect } from 'node:util';
import * as graphs from '@emac/graph';
import { describe, expect, it } from 'vitest';
import * as library from './index.ts';
import { namesWithoutGradient, operatorNames } from './operators/index.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const examples = [...readme.matchAll(/```js\n([^]*?)```/g)].map(([, code]) => code!);
const network = fileURLToPath(new URL('./fixtures/mlp.onnx', import.meta.url));

type Run = (graphs: object, library: object, console: object) => Promise<void>;
const AsyncFunction = (async () => undefined).constructor as new (...parts: string[]) => Run;

/** Runs an example with this package, the graphs and a fixture's network; returns its output. */
async function printedBy(code: string): Promise<string[]> {
  const lines: string[] = [];
  const body = code
    .replace(/import (\{.*\}) from '@emac\/graph';/, 'const $1 = graphs;')
    .replace(/import (\{.*\}) from '@emac\/onnx-import';/, 'const $1 = library;')
    .replace("'network.onnx'", JSON.stringify(network));
  const log = (...values: unknown[]) =>
    lines.push(values.map((value) => (typeof value === 'string' ? value : inspect(value))).join(' '));
  await new AsyncFunction('graphs', 'library', 'console', body)(graphs, library, { log });
  return lines;
}

describe('the README', () => {
  it.each(examples)('has an example with the output it states: %#', async (code) => {
    const promised = [...code.matchAll(/console\.log\(.*\); \/\/ (.*)/g)].map(([, text]) => text!);
    expect(promised.length).toBeGreaterThan(0);
    expect(await printedBy(code)).toEqual(promised);
  });

  it('trains through an exported network in 30 lines', () => {
    const lines = examples
      .find((code) => code.includes('importOnnx'))!
      .trim()
      .split('\n');
    expect(lines.length).toBeLessThanOrEqual(30);
  });

  it('lists the supported operators, and those without a gradient', () => {
    const listOf = (start: string) =>
      [...readme.matchAll(/^- (with|through|without)([^:]*): ([^]*?)(?=\n- |\n\n)/gm)]
        .filter(([text]) => text.startsWith(start))
        .flatMap(([, , , names]) => names!.split(/\s+/));
    expect(listOf('- ').sort()).toEqual(operatorNames);
    expect([...listOf('- without'), 'ArgMax', 'ArgMin'].sort()).toEqual(namesWithoutGradient);
  });
});
