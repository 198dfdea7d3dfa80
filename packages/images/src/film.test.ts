import fc from 'fast-check';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { brokenInto, encodeFilm } from './film.ts';

const picture = (colour: number) => {
  return { width: 56, height: 40, data: new Uint8Array(56 * 40 * 3).fill(colour) };
};

describe('a film', () => {
  it('has a scene per picture, with its caption below', async () => {
    const film = encodeFilm(
      [
        { frame: picture(200), caption: 'go' },
        { frame: picture(90), caption: '' },
      ],
      { delay: 500 },
    );
    const { pages, delay, width, pageHeight } = await sharp(film, { animated: true }).metadata();
    // three lines of 7 + 3 and a margin of 3, twice as large
    expect({ pages, delay, width, pageHeight }).toEqual({
      pages: 2,
      delay: [500, 500],
      width: 112,
      pageHeight: 2 * (40 + 33),
    });
    const scene = async (page: number) =>
      sharp(film, { page }).removeAlpha().raw().toBuffer({ resolveWithObject: true });
    const { data, info } = await scene(0);
    const at = (x: number, y: number) => data[(y * info.width + x) * info.channels]!;
    expect(Math.abs(at(10, 10) - 200)).toBeLessThan(8);
    const words = (bytes: Buffer) =>
      bytes.subarray(80 * info.width * info.channels).filter((value) => value > 150).length;
    expect(words(data)).toBeGreaterThan(0);
    expect(words((await scene(1)).data)).toBe(0);
  });

  it('draws upper-case and lower-case letters', async () => {
    const rows = async (letter: string) => {
      const film = encodeFilm([{ frame: picture(0), caption: letter }], { scale: 1 });
      const { data, info } = await sharp(film).removeAlpha().raw().toBuffer({ resolveWithObject: true });
      // the first letter: 5 × 7 pixels below the picture, behind the margins
      return Array.from({ length: 7 }, (_, y) =>
        Array.from({ length: 5 }, (_, x) =>
          data[((43 + y) * info.width + 3 + x) * info.channels]! > 150 ? '#' : '.',
        ).join(''),
      );
    };
    expect(await rows('T')).toEqual(['#####', ...Array.from({ length: 6 }, () => '..#..')]);
    // a stroke as high as the letter, on the left of b and on the right of d
    expect((await rows('b')).map(([first]) => first)).toEqual([...'#######']);
    expect((await rows('d')).map((row) => row.at(-1))).toEqual([...'#######']);
    expect((await rows('z')).filter((row) => row === '#####')).toHaveLength(2);
    expect(await rows('é')).toEqual(await rows('?'));
  });

  it('needs scenes of one size', () => {
    expect(() => encodeFilm([])).toThrow(/has no scenes/);
    const other = { width: 2, height: 1, data: new Uint8Array(6) };
    expect(() =>
      encodeFilm([
        { frame: picture(0), caption: '' },
        { frame: other, caption: '' },
      ]),
    ).toThrow(/scene 1/);
  });
});

describe('captions below a picture', () => {
  it('are broken between words, and end with dots if too long', () => {
    expect(brokenInto('take apple 1 from countertop 2', 12)).toEqual([
      'take apple 1',
      'from',
      'countertop 2',
    ]);
    expect(brokenInto('a bb ccc dddd eeeee', 5)).toEqual(['a bb', 'ccc', 'dd...']);
  });

  it('are never longer than a line or three lines', () => {
    fc.assert(
      fc.property(fc.string(), fc.integer({ min: 4, max: 60 }), (text, length) => {
        const broken = brokenInto(text, length);
        expect(broken.length).toBeLessThanOrEqual(3);
        for (const line of broken) expect(line.length).toBeLessThanOrEqual(length);
      }),
    );
  });
});
