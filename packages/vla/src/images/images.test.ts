import { Random, type Frame } from '@emac/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cropCentre } from './crop.ts';
import { rotate180 } from './frames.ts';
import { throughJpeg } from './jpeg/through-jpeg.ts';
import { preparedPicture } from './prepare.ts';
import { resizeLanczos } from './resize.ts';

const plain = (width: number, height: number, [r, g, b]: readonly number[]): Frame => ({
  width,
  height,
  data: Uint8Array.from({ length: width * height * 3 }, (_, place) => [r, g, b][place % 3]!),
});

const frames = fc
  .record({ width: fc.integer({ min: 8, max: 20 }), height: fc.integer({ min: 8, max: 20 }) })
  .chain(({ width, height }) =>
    fc
      .uint8Array({ minLength: width * height * 3, maxLength: width * height * 3 })
      .map((data): Frame => ({ width, height, data })),
  );

describe('rotation', () => {
  it('flips both axes and keeps colours', () => {
    const data = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12);
    const turned = rotate180({ width: 2, height: 2, data });
    expect([...turned.data]).toEqual([10, 11, 12, 7, 8, 9, 4, 5, 6, 1, 2, 3]);
  });

  it('applied twice changes nothing', () => {
    fc.assert(
      fc.property(frames, (frame) => {
        expect(rotate180(rotate180(frame))).toEqual(frame);
      }),
    );
  });
});

describe('a JPEG', () => {
  it('loses less at higher quality', () => {
    const random = Random.fromSeed('noise');
    const data = Uint8Array.from({ length: 24 * 16 * 3 }, () => random.integer(256));
    const losses = [5, 50, 95].map((quality) =>
      throughJpeg({ width: 24, height: 16, data }, quality).data.reduce(
        (sum, value, place) => sum + (value - data[place]!) ** 2,
        0,
      ),
    );
    expect(losses[0]).toBeGreaterThan(1.1 * losses[1]!);
    expect(losses[1]).toBeGreaterThan(1.1 * losses[2]!);
  });

  it.each([0, 101, 9.5, NaN])('rejects quality %f', (quality) => {
    expect(() => throughJpeg(plain(8, 8, [0, 0, 0]), quality)).toThrow(/from 1 to 100/);
  });

  it('rejects pictures below 8 × 8', () => {
    expect(() => throughJpeg(plain(7, 8, [0, 0, 0]))).toThrow(/sides of at least 8/);
  });
});

describe('resizing and cropping', () => {
  it('keep a uniform colour', () => {
    fc.assert(
      fc.property(
        fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255)),
        fc.integer({ min: 2, max: 30 }),
        (colour, side) => {
          const small = resizeLanczos(plain(13, 17, colour), { width: side, height: side });
          expect(cropCentre(small)).toEqual(plain(side, side, colour));
        },
      ),
    );
  });

  it('of a strip need no picture much larger than it and its result', () => {
    // its columns first would take 19 GB
    const strip = plain(400_000, 1, [90, 90, 90]);
    expect(resizeLanczos(strip, { width: 8, height: 2000 })).toEqual(plain(8, 2000, [90, 90, 90]));
  });

  it('to the same size changes nothing', () => {
    fc.assert(
      fc.property(frames, (frame) => {
        expect(resizeLanczos(frame, frame)).toEqual(frame);
        expect(cropCentre(frame, 1)).toEqual(frame);
      }),
    );
  });

  it('show the middle: on a ramp the crop begins at (1 − √0.9) / 2 of the width', () => {
    // a ramp of 0 … 250 over 251 columns: values equal positions
    const ramp: Frame = {
      width: 251,
      height: 2,
      data: Uint8Array.from({ length: 251 * 2 * 3 }, (_, place) => Math.floor(place / 3) % 251),
    };
    const seen = cropCentre(ramp);
    // 250 · 0.025658 = 6.41 and 243.59; 255.5 / 255 turns these into 6.43 and 244.06, which are truncated
    expect([seen.data[0], seen.data[250 * 3]]).toEqual([6, 244]);
  });

  it.each([0, 1.01, NaN])('reject area %f', (area) => {
    expect(() => cropCentre(plain(8, 8, [0, 0, 0]), area)).toThrow(/above 0 and at most 1/);
  });

  it('reject pictures with a wrong number of bytes, and invalid sizes', () => {
    const damaged = { width: 8, height: 8, data: new Uint8Array(3) };
    for (const step of [rotate180, throughJpeg, cropCentre, preparedPicture])
      expect(() => step(damaged)).toThrow(/got 8 × 8 and 3 bytes/);
    expect(() => preparedPicture(plain(8, 8, [0, 0, 0]), { side: 0.5 })).toThrow(/whole pixels/);
  });
});

describe('preparation', () => {
  it('crops by default', () => {
    const half = plain(16, 16, [0, 0, 0]);
    // a white column at the camera's right, on the left after rotation: the crop removes part of it
    for (let row = 0; row < 16; row++) half.data.fill(255, (row * 16 + 15) * 3, (row + 1) * 16 * 3);
    const whole = preparedPicture(half, { side: 14, crop: false });
    const middle = preparedPicture(half, { side: 14 });
    expect(whole.data[0]).toBeGreaterThan(middle.data[0]!);
    expect(whole.data[13 * 3]).toBeLessThan(30);
  });

  it('rotates by default', () => {
    const half = plain(16, 16, [0, 0, 0]);
    for (let row = 0; row < 16; row++) half.data.fill(255, (row * 16 + 8) * 3, (row + 1) * 16 * 3);
    const sidesOf = ({ data }: { readonly data: Uint8Array }) => [
      data[6 * 14 * 3]! > 128,
      data[7 * 14 * 3 - 1]! > 128,
    ];
    expect(sidesOf(preparedPicture(half, { side: 14 }))).toEqual([true, false]);
    expect(sidesOf(preparedPicture(half, { side: 14, turn: false }))).toEqual([false, true]);
  });
});
