import { encodePng } from '@emac/images';
import { describe, expect, it } from 'vitest';
import { framesIn } from './picture.ts';

const red = { width: 2, height: 1, data: Uint8Array.of(255, 0, 0, 10, 20, 30) };

describe('pictures of a server', () => {
  it('come as base64, as data URLs, as rows of pixels, and in lists', async () => {
    const base64 = Buffer.from(await encodePng(red)).toString('base64');
    const rows = [
      [
        [255, 0, 0],
        [10, 20, 30],
      ],
    ];
    for (const sent of [base64, `data:image/png;base64,${base64}`, [base64], rows, [rows]])
      expect(await framesIn(sent)).toEqual([red]);
    expect(await framesIn([base64, base64])).toHaveLength(2);
    // grey, and RGBA
    expect(await framesIn([[7]])).toEqual([{ width: 1, height: 1, data: Uint8Array.of(7, 7, 7) }]);
    expect(await framesIn([[[1, 2, 3, 255]]])).toEqual([
      { width: 1, height: 1, data: Uint8Array.of(1, 2, 3) },
    ]);
    for (const nothing of [null, undefined, '', []]) expect(await framesIn(nothing)).toEqual([]);
  });

  it.each([
    ['text', 'a word'],
    ['numbers out of range', [[300]]],
    ['torn rows', [[1], [1, 2]]],
    ['an object', {}],
  ])('refuse %s', async (_what, sent) => {
    await expect(framesIn(sent)).rejects.toMatchObject({ code: 'data' });
  });
});
