import { describe, expect, it } from 'vitest';
import { listOfOne } from './python-text.ts';

describe('a list of one text', () => {
  // right-hand sides: printed by Python 3.11
  it.each([
    ['go to desk 1', `['go to desk 1']`],
    ["it's", `["it's"]`],
    [`it's "so"`, String.raw`['it\'s "so"']`],
    ['a\\b\n\r\t', String.raw`['a\\b\n\r\t']`],
    ['\u0000\u007f\u00a0\u00ad', String.raw`['\x00\x7f\xa0\xad']`],
    ['é日😀', `['é日😀']`],
    ['\u200b\u2028\ue000', String.raw`['\u200b\u2028\ue000']`],
    ['\u{e0001}', String.raw`['\U000e0001']`],
    ['\ud800', String.raw`['\ud800']`],
  ])('equals str([text]): %j', (text, printed) => {
    expect(listOfOne(text)).toBe(printed);
  });
});
