import { describe, expect, it } from 'vitest';

import { resizeBicubic } from './pillow-resize.ts';
import { imageProcessor } from './image-processor.ts';

/** Byte i of a picture is (37 i + (i² mod 101) + 11) mod 256. */
function picture(width: number, height: number) {
  const data = Uint8Array.from(
    { length: width * height * 3 },
    (_, i) => (37 * i + ((i * i) % 101) + 11) % 256,
  );
  return { width, height, data };
}

/** Pillow 13.0, Image.resize(…, Image.BICUBIC). */
const pillow = [
  {
    from: [7, 5],
    to: [3, 4],
    bytes: [
      67, 120, 135, 135, 134, 149, 153, 75, 136, 112, 115, 76, 103, 135, 87, 144, 91, 94, 100, 127, 117, 97,
      148, 125, 94, 98, 106, 155, 107, 104, 91, 134, 171, 103, 142, 97,
    ],
  },
  {
    from: [2, 3],
    to: [4, 5],
    bytes: [
      0, 37, 75, 35, 73, 115, 104, 146, 196, 139, 182, 236, 0, 42, 88, 32, 84, 120, 118, 167, 184, 162, 208,
      216, 0, 49, 109, 45, 97, 129, 137, 191, 168, 183, 239, 188, 166, 43, 107, 151, 79, 132, 122, 150, 184,
      106, 186, 209, 255, 38, 103, 220, 66, 133, 109, 120, 196, 53, 148, 227,
    ],
  },
  {
    from: [4, 4],
    to: [4, 2],
    bytes: [
      135, 61, 88, 90, 157, 209, 111, 49, 107, 102, 169, 141, 189, 161, 95, 91, 75, 86, 143, 128, 145, 81, 31,
      46,
    ],
  },
];

describe('the image processor', () => {
  for (const { from, to, bytes } of pillow)
    it(`resizes ${from.join(' × ')} to ${to.join(' × ')} as Pillow does, byte for byte`, () => {
      const { data, ...size } = picture(from[0]!, from[1]!);
      expect([...resizeBicubic(data, size, { width: to[0]!, height: to[1]! })]).toEqual(bytes);
    });

  it('resizes a strip without a picture much larger than it and its result', () => {
    // its rows first would take 9.6 GB
    const strip = { width: 1, height: 400_000 };
    const grey = new Uint8Array(strip.height * 3).fill(90);
    const found = resizeBicubic(grey, strip, { width: 8000, height: 8 });
    expect(found).toEqual(new Uint8Array(8000 * 8 * 3).fill(90));
  });

  it('resizes no picture to gigabytes', () => {
    const strip = { width: 1, height: 60_000 };
    expect(() => resizeBicubic(new Uint8Array(180_000), strip, { width: 224, height: 13_440_000 })).toThrow(
      /^picture: 1 × 60000 pixels would become 224 × 13440000, at most 64000000 fit/,
    );
  });

  it("gives the pixel values of Hugging Face's BlipImageProcessor", () => {
    // transformers 4.57.1, size 2 × 2, the 7 × 5 picture
    const expected = [
      -0.3762151598930359, 0.20772196352481842, -0.09884507209062576, -0.39081355929374695,
      0.16889731585979462, -0.2213047444820404, 0.18390507996082306, 0.13888166844844818, 0.08398749679327011,
      0.15508782863616943, 0.24040821194648743, 0.15508782863616943,
    ];
    expect([...imageProcessor({ size: { height: 2, width: 2 } }).process(picture(7, 5))]).toEqual(expected);
  });

  it('names the key of an unsupported setting', () => {
    expect(() => imageProcessor({ resample: 2 })).toThrow(/resample must be 3 \(bicubic\), got 2/);
    expect(() => imageProcessor({ image_mean: [0.5] })).toThrow(/image_mean must be three numbers/);
  });

  it('rejects a frame with too few or too many bytes', () => {
    const frame = { width: 2, height: 2, data: new Uint8Array(11) };
    expect(() => imageProcessor({}).process(frame)).toThrow(/2 × 2 RGB needs 12 bytes, got 11/);
  });
});
