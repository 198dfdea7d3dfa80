/** Against TensorFlow 2.15.1, by `tools/reference/write_vla_images.py`: a table, a texture with odd sides, and a camera's 256 × 256. */
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

/** Float32 there and float64 here round some values apart; the agreed bound is a mean of 2. */
function expectNear(found: Frame, expected: Frame): void {
  const { mean, largest } = difference(found, expected);
  expect(mean).toBeLessThan(0.01);
  expect(largest).toBeLessThanOrEqual(1);
}

describe.each(['table', 'texture'])('the picture %s', (name) => {
  it('comes back from a JPEG exactly as TensorFlow’s does', async () => {
    const turned = throughJpeg(rotate180(await picture(`${name}-seen`)));
    expect(difference(turned, await picture(`${name}-turned`))).toEqual({ mean: 0, largest: 0 });
  });

  it('is resized as there', async () => {
    const small = resizeLanczos(await picture(`${name}-turned`), { width: 56, height: 56 });
    expectNear(small, await picture(`${name}-resized`));
  });

  it('is cropped as there', async () => {
    expectNear(cropCentre(await picture(`${name}-resized`)), await picture(`${name}-cropped`));
  });

  it('is no longer what it was after each of these steps, so that the bounds mean something', async () => {
    const [seen, turned, resized, cropped] = await Promise.all(
      ['seen', 'turned', 'resized', 'cropped'].map((step) => picture(`${name}-${step}`)),
    );
    expect(difference(rotate180(seen!), turned!).mean).toBeGreaterThan(2);
    expect(difference(resized!, cropped!).mean).toBeGreaterThan(2);
  });
});

describe('a camera’s picture of 256 × 256', () => {
  it('becomes what TensorFlow makes of it, 224 × 224', async () => {
    expectNear(preparedPicture(await picture('camera-seen')), await picture('camera-cropped'));
  });
});
