/**
 * Compared with TensorFlow 2.15.1, by `tools/reference/write_vla_images.py`: a table, a texture with odd sides, and a
 * camera's 256 × 256.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Frame } from '@emac/core';
import { decodeImage } from '@emac/images';
import { describe, expect, it } from 'vitest';
import { cropCentre } from './crop.ts';
import { rotate180 } from './frames.ts';
import { throughJpeg } from './jpeg/through-jpeg.ts';
import { preparedPicture } from './prepare.ts';
import { resizeLanczos } from './resize.ts';

const picture = (name: string): Promise<Frame> =>
  decodeImage(readFileSync(new URL(`../../fixtures/images/${name}.png`, import.meta.url)));

interface Difference {
  /** in steps of 1/255 */
  readonly mean: number;
  readonly largest: number;
}

function difference(found: Frame, expected: Frame): Difference {
  expect([found.width, found.height]).toEqual([expected.width, expected.height]);
  const steps = Array.from(found.data, (value, place) => Math.abs(value - expected.data[place]!));
  const sum = steps.reduce((total, step) => total + step, 0);
  return { mean: sum / steps.length, largest: steps.reduce((a, b) => Math.max(a, b), 0) };
}

/** Float32 there and float64 here round some values differently; the bound is a mean of 2. */
function expectNear(found: Frame, expected: Frame): void {
  const { mean, largest } = difference(found, expected);
  expect(mean).toBeLessThan(0.01);
  expect(largest).toBeLessThanOrEqual(1);
}

describe.each(['table', 'texture'])('the picture %s', (name) => {
  it('matches TensorFlow’s after JPEG compression exactly', async () => {
    const turned = throughJpeg(rotate180(await picture(`${name}-seen`)));
    expect(difference(turned, await picture(`${name}-turned`))).toEqual({ mean: 0, largest: 0 });
  });

  it('matches TensorFlow’s after resizing', async () => {
    const small = resizeLanczos(await picture(`${name}-turned`), { width: 56, height: 56 });
    expectNear(small, await picture(`${name}-resized`));
  });

  it('matches TensorFlow’s after cropping', async () => {
    expectNear(cropCentre(await picture(`${name}-resized`)), await picture(`${name}-cropped`));
  });

  it('is changed by each of these steps, so that the bounds mean something', async () => {
    const [seen, turned, resized, cropped] = await Promise.all(
      ['seen', 'turned', 'resized', 'cropped'].map((step) => picture(`${name}-${step}`)),
    );
    expect(difference(rotate180(seen!), turned!).mean).toBeGreaterThan(2);
    expect(difference(resized!, cropped!).mean).toBeGreaterThan(2);
  });
});

describe('a camera’s picture of 256 × 256', () => {
  it('matches TensorFlow’s result, 224 × 224', async () => {
    expectNear(preparedPicture(await picture('camera-seen')), await picture('camera-cropped'));
  });
});

interface Case {
  readonly kind: 'noise' | 'waves' | 'blocks';
  readonly height: number;
  readonly width: number;
  readonly quality: number;
  readonly sha256: string;
}

function mixed(number: number): number {
  const first = Math.imul(number, 2654435761) >>> 0;
  return Math.imul(first ^ (first >>> 15), 2246822519) >>> 24;
}

/** The same integers as in the reference program. */
function computed({ kind, height, width }: Case): Frame {
  const value = (y: number, x: number, channel: number): number => {
    if (kind === 'noise') return mixed((y * width + x) * 3 + channel);
    if (kind === 'blocks') return mixed((Math.floor(y / 7) * 1000 + Math.floor(x / 7)) * 3 + channel);
    const phase = (5 * x + 3 * y + 80 * channel + Math.floor((x * y) / 16)) % 256;
    return Math.min(phase, 255 - phase) * 2;
  };
  const data = Uint8Array.from({ length: height * width * 3 }, (_, place) => {
    const pixel = Math.floor(place / 3);
    return value(Math.floor(pixel / width), pixel % width, place % 3);
  });
  return { width, height, data };
}

describe('JPEG compression', () => {
  const cases = JSON.parse(
    readFileSync(new URL('../../fixtures/images/jpeg.json', import.meta.url), 'utf8'),
  ) as readonly Case[];

  it('of noise, waves and blocks of any size and two qualities matches TensorFlow to the last byte', () => {
    expect(cases).toHaveLength(54);
    for (const each of cases) {
      const found = createHash('sha256')
        .update(throughJpeg(computed(each), each.quality).data)
        .digest('hex');
      expect([each.kind, each.height, each.width, each.quality, found]).toEqual([
        each.kind,
        each.height,
        each.width,
        each.quality,
        each.sha256,
      ]);
    }
  });
});
