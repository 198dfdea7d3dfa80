import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cleanObservationCompat, postprocessCompat } from './compat.ts';

const folder = process.env.EMAC_TEST_DATA;

type Pair = { readonly input: string; readonly output: string };

describe.skipIf(!folder)('published post-processing (needs EMAC_TEST_DATA)', () => {
  const golden = (): Record<'action_postprocess' | 'process_ob', readonly Pair[]> =>
    JSON.parse(readFileSync(join(folder!, 'derived', 'postprocess_golden.json'), 'utf8'));

  it('gives the published command for every recorded answer', () => {
    const pairs = golden().action_postprocess;
    expect(pairs.length).toBeGreaterThan(50);
    for (const { input, output } of pairs) expect([input, postprocessCompat(input)]).toEqual([input, output]);
  });

  it('gives the published text for every recorded observation', () => {
    const pairs = golden().process_ob;
    expect(pairs.length).toBe(10);
    for (const { input, output } of pairs)
      expect([input, cleanObservationCompat(input)]).toEqual([input, output]);
  });
});

describe('published post-processing', () => {
  it('keeps the published faults', () => {
    expect(postprocessCompat('go to cabinet 1. ')).toBe('go to cabinet 1.');
    expect(cleanObservationCompat('You arrive at loc 7')).toBe('ou arrive at loc 7');
  });

  it("uses Python's definition of whitespace", () => {
    // str.strip and str.split: U+001C to U+001F and U+0085 are whitespace there, U+FEFF is not
    expect(postprocessCompat('\u001clook\u0085')).toBe('look');
    expect(postprocessCompat('\ufefflook')).toBe('\ufefflook');
    expect(postprocessCompat('take the\u001fmug 1')).toBe('take mug 1');
  });

  it('never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => typeof postprocessCompat(text) === 'string'),
    );
  });
});
