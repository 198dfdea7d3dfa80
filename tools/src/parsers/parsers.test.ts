import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it } from 'vitest';
import { openParsers } from './parsers.ts';
import { faultOf, tryInputs } from './try-inputs.ts';

const { parsers, dispose } = await openParsers();
afterAll(dispose);

/** Intact inputs that are refused for good reasons: an older format, a damaged one, an archive of nothing. */
const refused: Readonly<Record<string, readonly number[]>> = { torch: [0, 2], archive: [1] };

describe.each(parsers)('the parser of $name', (parser) => {
  it('reads intact inputs', async () => {
    const seeds = parser.seeds.filter((_, place) => !refused[parser.name]?.includes(place));
    // a refused one would test little
    for (const seed of seeds) await parser.read(seed);
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
