import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { crc32, deflateSync } from 'node:zlib';
import { EmacError } from '@emac/core';
import type { Frame } from '@emac/core';
import fc from 'fast-check';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { decodeImage, imageFormat } from './decode.ts';
import { encodeJpeg, encodePng } from './encode.ts';

const frames = fc
  .tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 }))
  .chain(([width, height]) =>
    fc
      .uint8Array({ minLength: width * height * 3, maxLength: width * height * 3 })
      .map((data): Frame => ({ width, height, data })),
  );

interface PngParts {
  readonly width: number;
  readonly height: number;
  /** 0 grey, 2 RGB, 6 RGB with alpha */
  readonly colour: number;
  readonly depth: number;
  readonly rows: readonly (readonly number[])[];
  /** chunks before the pixels, by type */
  readonly chunks?: Readonly<Record<string, Buffer>>;
}

/** A PNG file assembled from the specification, without the encoder under test. */
function pngOf({ width, height, colour, depth, rows, chunks = {} }: PngParts): Buffer {
  const chunk = (type: string, body: Buffer) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(body.byteLength);
    const check = Buffer.alloc(4);
    check.writeUInt32BE(crc32(Buffer.concat([Buffer.from(type), body])));
    return Buffer.concat([length, Buffer.from(type), body, check]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([depth, colour, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]),
    chunk('IHDR', header),
    ...Object.entries(chunks).map(([type, body]) => chunk(type, body)),
    chunk('IDAT', deflateSync(Buffer.from(rows.flatMap((row) => [0, ...row])))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

async function faultOf(action: Promise<unknown>): Promise<EmacError> {
  const thrown = await action.then(
    () => undefined,
    (error: unknown) => error,
  );
  expect(thrown).toBeInstanceOf(EmacError);
  return thrown as EmacError;
}

describe('PNG', () => {
  it('gives a frame back exactly, and equal frames equal bytes', async () => {
    await fc.assert(
      fc.asyncProperty(frames, async (frame) => {
        const png = await encodePng(frame);
        expect(imageFormat(png)).toBe('png');
        expect(await decodeImage(png)).toEqual(frame);
        expect(await encodePng({ ...frame, data: frame.data.slice() })).toEqual(png);
      }),
      { numRuns: 50 },
    );
  });

  it('of other kinds is read as RGB: alpha dropped, grey spread, 16 bits reduced', async () => {
    const alpha = pngOf({
      width: 2,
      height: 1,
      colour: 6,
      depth: 8,
      rows: [[10, 20, 30, 0, 40, 50, 60, 255]],
    });
    expect([...(await decodeImage(alpha)).data]).toEqual([10, 20, 30, 40, 50, 60]);
    const grey = pngOf({ width: 1, height: 2, colour: 0, depth: 8, rows: [[7], [200]] });
    expect([...(await decodeImage(grey)).data]).toEqual([7, 7, 7, 200, 200, 200]);
    const deep = pngOf({ width: 1, height: 1, colour: 2, depth: 16, rows: [[255, 255, 0, 0, 128, 128]] });
    expect([...(await decodeImage(deep)).data]).toEqual([255, 0, 128]);
  });
});

describe('JPEG', () => {
  it("gives a flat frame back within its colour space's rounding", async () => {
    const data = new Uint8Array(16 * 8 * 3).map((_, index) => [200, 60, 30][index % 3]!);
    const jpeg = await encodeJpeg({ width: 16, height: 8, data }, 95);
    expect(imageFormat(jpeg)).toBe('jpeg');
    const back = await decodeImage(jpeg);
    expect([back.width, back.height]).toEqual([16, 8]);
    expect(Math.max(...back.data.map((value, index) => Math.abs(value - data[index]!)))).toBeLessThanOrEqual(
      4,
    );
  });
});

describe('pixels are those of Pillow', () => {
  const fixture = (name: string) => readFileSync(new URL(`../fixtures/${name}`, import.meta.url));

  // Pillow 13.0.0: sha256(numpy.asarray(ImageOps.exif_transpose(Image.open(name)).convert('RGB')))
  it.each([
    ['orientation-6.jpg', [32, 48], '6ba18dc540efc8cc3fed74a30bb2c8324f69527485de5567d78d00e33d3f50a6'],
    ['cmyk.jpg', [48, 32], '8010f475102854c8d09b71ba814b9317d8c0f7afed3e8fff97ab4790b55bc84c'],
  ] as const)('in %s', async (name, size, hash) => {
    const { width, height, data } = await decodeImage(fixture(name));
    expect([width, height]).toEqual(size);
    expect(createHash('sha256').update(data).digest('hex')).toBe(hash);
  });

  it.each([
    // the corners of each orientation, by the EXIF standard: a b over c d
    [1, 'ab cd'],
    [2, 'ba dc'],
    [3, 'dc ba'],
    [4, 'cd ab'],
    [5, 'ac bd'],
    [6, 'ca db'],
    [7, 'db ca'],
    [8, 'bd ac'],
  ])('upright in a PNG of orientation %i', async (orientation, upright) => {
    const letters = Buffer.from('abcd');
    const [a, b, c, d] = [...letters].map((letter) => [letter, letter, letter]);
    // one entry of a little-endian TIFF directory: tag 274, a short, one of it
    const exif = Buffer.from([
      73,
      73,
      42,
      0,
      8,
      0,
      0,
      0,
      1,
      0,
      18,
      1,
      3,
      0,
      1,
      0,
      0,
      0,
      orientation,
      0,
      0,
      0,
      0,
      0,
      0,
      0,
    ]);
    const rows = [
      [...a!, ...b!],
      [...c!, ...d!],
    ];
    const png = pngOf({ width: 2, height: 2, colour: 2, depth: 8, rows, chunks: { eXIf: exif } });
    const { data } = await decodeImage(png);
    const seen = Buffer.from(data.filter((_, index) => index % 3 === 0)).toString();
    expect(`${seen.slice(0, 2)} ${seen.slice(2)}`).toBe(upright);
  });

  it('as stored, whatever colour profile is with them', async () => {
    const pixels = Buffer.from([200, 60, 30]);
    const raw = { width: 1, height: 1, channels: 3 } as const;
    const wide = await sharp(pixels, { raw }).withIccProfile('p3').png().toBuffer();
    const start = wide.indexOf('iCCP');
    const profile = wide.subarray(start + 4, start + 4 + wide.readUInt32BE(start - 4));
    const png = pngOf({
      width: 1,
      height: 1,
      colour: 2,
      depth: 8,
      rows: [[...pixels]],
      chunks: { iCCP: profile },
    });
    expect([...(await decodeImage(png)).data]).toEqual([200, 60, 30]);
  });
});

describe('a picture', () => {
  const small: Frame = { width: 4, height: 4, data: new Uint8Array(48).map((_, index) => index * 5) };

  it('over a limit is rejected before pixels are decoded', async () => {
    const bomb = pngOf({ width: 50_000, height: 50_000, colour: 2, depth: 8, rows: [[0]] });
    expect(bomb.byteLength).toBeLessThan(100);
    const fault = await faultOf(decodeImage(bomb));
    expect([fault.code, fault.message]).toEqual(['data', expect.stringMatching(/pixel limit/)]);
    const png = await encodePng(small);
    expect((await faultOf(decodeImage(png, { pixels: 15 }))).code).toBe('data');
    expect((await faultOf(decodeImage(png, { bytes: 20 }))).message).toContain('may have at most 20 bytes');
    expect((await decodeImage(png, { pixels: 16 })).width).toBe(4);
  });

  it('with a side over 65,535 pixels is rejected', async () => {
    const strip = { width: 1, height: 65_536, data: new Uint8Array(65_536 * 3) };
    const fault = await faultOf(decodeImage(await encodePng(strip)));
    expect([fault.code, fault.message]).toEqual([
      'data',
      'picture: a side may have at most 65535 pixels, has 1 × 65536',
    ]);
    const longest = { ...strip, height: 65_535, data: new Uint8Array(65_535 * 3) };
    expect(await decodeImage(await encodePng(longest))).toEqual(longest);
  });

  it('of another format is rejected by its first bytes', async () => {
    const others = ['<svg width="1" height="1"/>', 'GIF89a', '%PDF-1.4', ''];
    for (const text of others)
      expect((await faultOf(decodeImage(Buffer.from(text)))).message).toMatch(/must be PNG or JPEG/);
  });

  it.each([
    ['GIF89a', 'it is GIF; convert it'],
    ['RIFF\0\0\0\0WEBPVP8 ', 'it is WebP; convert it'],
    ['\0\0\0\x1cftypheic', 'it is HEIC; convert it'],
    [
      'version https://git-lfs.github.com/spec/v1\n',
      'it is a Git LFS pointer; fetch the file (git lfs pull)',
    ],
  ])('%j is named', async (start, sentence) => {
    expect((await faultOf(decodeImage(Buffer.from(start)))).message).toContain(`PNG or JPEG; ${sentence}`);
  });

  it('is rejected wherever it is truncated', async () => {
    const noise = {
      width: 40,
      height: 40,
      data: new Uint8Array(4800).map((_, index) => (index * 7919) % 251),
    };
    for (const file of [await encodePng(noise), await encodeJpeg(noise)])
      for (const share of [0.2, 0.5, 0.9]) {
        const cut = file.subarray(0, Math.floor(file.byteLength * share));
        expect((await faultOf(decodeImage(cut))).code).toBe('data');
      }
  });

  it('gives a frame or an EmacError, whatever byte is changed', async () => {
    const png = await encodePng(small);
    await fc.assert(
      fc.asyncProperty(fc.nat(png.byteLength - 1), fc.integer({ min: 1, max: 255 }), async (at, change) => {
        const bytes = png.slice();
        bytes[at]! ^= change;
        const result = await decodeImage(bytes).catch((thrown: unknown) => thrown);
        if (!(result instanceof EmacError)) {
          const { width, height, data } = result as Frame;
          expect(data.byteLength).toBe(width * height * 3);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('with too few or too many bytes for its size is not encoded', async () => {
    for (const frame of [
      { ...small, width: 5 },
      { ...small, width: 0 },
      { ...small, height: 1.5 },
    ])
      expect((await faultOf(encodePng(frame))).code).toBe('data');
    const odd = { ...small, width: '4', height: 1.5 } as unknown as Frame;
    expect((await faultOf(encodePng(odd))).message).toBe(
      'frame: width and height must be whole numbers of pixels from 1, got ["4",1.5]',
    );
  });
});
