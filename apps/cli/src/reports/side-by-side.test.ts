import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { sideBySideFilm } from './side-by-side.ts';

const picture = (width: number, height: number, colour: number) => {
  return { width, height, data: new Uint8Array(3 * width * height).fill(colour) };
};

describe('a film of policies side by side', () => {
  it('has a scene for the task, for each step of the longest episode and for the outcomes, with room for the largest pictures', async () => {
    const film = sideBySideFilm({
      number: 0,
      task: { id: 'a', type: null, seed: '1' },
      columns: [
        { policy: 'runs/one', won: true, moments: [{ action: null, frame: picture(20, 10, 200) }] },
        {
          policy: 'two',
          won: false,
          moments: [
            { action: null, frame: picture(6, 10, 90) },
            { action: 'go', frame: picture(16, 8, 90) },
            { action: 'go', frame: picture(16, 8, 90) },
          ],
        },
      ],
    });
    const { pages, width, pageHeight } = await sharp(film, { animated: true }).metadata();
    // 20 + 4 + 16 wide; three lines of 7 + 3 and a margin of 3 below; twice as large
    expect([pages, width, pageHeight]).toEqual([4, 2 * 40, 2 * (10 + 33)]);
    const { data, info } = await sharp(film, { page: 2 })
      .removeAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    const at = (x: number, y: number) => data[(2 * y * info.width + 2 * x) * info.channels]!;
    // the first one's last picture stays; the lower one ends in black
    for (const [x, y, colour] of [
      [5, 5, 200],
      [30, 5, 90],
      [30, 9, 0],
    ] as const)
      expect(Math.abs(at(x, y) - colour), `${x} ${y}`).toBeLessThan(12);
  });
});
