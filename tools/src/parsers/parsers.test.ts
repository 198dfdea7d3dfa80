import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { openParsers } from './parsers.ts';
import { faultOf, tryInputs } from './try-inputs.ts';

const { parsers, dispose } = await openParsers();
afterAll(dispose);

describe.each(parsers)('the parser of $name', (parser) => {
  it('reads intact inputs', async () => {
    for (const seed of parser.seeds) expect(await faultOf(parser, seed)).toBeNull();
  });

  it('gives a value or a refusal for damaged ones', async () => {
    const inputs = Math.ceil(parser.share);
    expect(await tryInputs(parser, { inputs, seed: 1 })).toEqual([]);
  });
});

const kept = fileURLToPath(new URL('../../fixtures/parsers/', import.meta.url));
const names = existsSync(kept) ? readdirSync(kept) : [];

describe('inputs that were a fault once', () => {
  it.skipIf(names.length === 0).each(names)('%s', async (name) => {
    const parser = parsers.find((each) => name.startsWith(`${each.name}-`))!;
    expect(await faultOf(parser, readFileSync(`${kept}${name}`))).toBeNull();
  });
});
