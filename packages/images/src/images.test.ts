import { crc32, deflateSync } from 'node:zlib';
import { EmacError } from '@emac/core';
import type { Frame } from '@emac/core';
import fc from 'fast-check';
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
}

/** A PNG file assembled from the specification, without the encoder under test. */
function pngOf({ width, height, colour, depth, rows }: PngParts): Buffer {
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

  it('of another format is rejected by its first bytes', async () => {
    const others = ['<svg width="1" height="1"/>', 'GIF89a', '%PDF-1.4', ''];
    for (const text of others)
      expect((await faultOf(decodeImage(Buffer.from(text)))).message).toMatch(/must be PNG or JPEG/);
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
  });
});
