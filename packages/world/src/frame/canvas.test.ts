import { describe, expect, it } from 'vitest';
import { fillPolygon, fillRect, linePoints, newCanvas, ovalPoints } from './canvas.ts';
import type { Canvas } from './canvas.ts';

const white = [255, 255, 255] as const;
const redOf = ({ data, width }: Canvas, x: number, y: number) => data[(y * width + x) * 3]!;
const area = ({ data }: Canvas) => data.reduce((sum, value) => sum + value, 0) / 255 / 3;

describe('fillPolygon', () => {
  it('covers a pixel by the share of its area', () => {
    const canvas = newCanvas(4, 4);
    // A box from (0.5, 1) to (2.25, 3): pixel columns 0, 1, 2 are covered by 0.5, 1 and 0.25.
    fillPolygon(canvas, [0.5, 1, 2.25, 1, 2.25, 3, 0.5, 3], white);
    expect([0, 1, 2, 3].map((x) => redOf(canvas, x, 1))).toEqual([128, 255, 64, 0]);
    expect([0, 1, 2, 3].map((y) => redOf(canvas, 1, y))).toEqual([0, 255, 255, 0]);
  });

  it("covers half of a triangle's box, in either orientation", () => {
    for (const points of [
      [1, 1, 9, 1, 1, 9],
      [1, 9, 9, 1, 1, 1],
    ]) {
      const canvas = newCanvas(12, 12);
      fillPolygon(canvas, points, white);
      expect(area(canvas)).toBeCloseTo(32, 0);
    }
  });

  it('covers flat slopes exactly', () => {
    const canvas = newCanvas(12, 4);
    // A triangle of base 10 and height 1 in one row of pixels has area 5; its hypotenuse falls from
    // the left, so column 0 is covered by 1 − 0.05 and column 9 by 0.05.
    fillPolygon(canvas, [0, 1, 10, 2, 0, 2], white);
    expect(area(canvas)).toBeCloseTo(5, 1);
    expect(redOf(canvas, 0, 1)).toBe(Math.round(255 * 0.95));
    expect(redOf(canvas, 9, 1)).toBe(Math.round(255 * 0.05));
  });

  it('clips shapes at its edges', () => {
    const canvas = newCanvas(6, 6);
    fillPolygon(canvas, [-5, -5, 30, -5, 30, 3, -5, 3], white);
    expect(area(canvas)).toBe(18);
    expect(() => fillPolygon(canvas, [40, 40, 50, 40, 50, 50], white)).not.toThrow();
    expect(area(canvas)).toBe(18);
  });

  it('draws ovals and lines of the expected area', () => {
    const oval = newCanvas(40, 40);
    fillPolygon(oval, ovalPoints([20, 20, 15, 10]), white);
    // A polygon of 20 corners has sin(18°)/(18° in radians) = 0.984 of the oval's area.
    expect(area(oval)).toBeCloseTo(10 * 15 * 10 * Math.sin(Math.PI / 10), -1);
    const line = newCanvas(40, 40);
    fillPolygon(line, linePoints([5, 5, 35, 35], 4), white);
    expect(area(line) / (30 * Math.SQRT2 * 4)).toBeCloseTo(1, 1);
  });
});

it('fillRect fills whole pixels and cuts at the edges', () => {
  const canvas = newCanvas(5, 5);
  fillRect(canvas, [3, -2, 10, 4], white);
  expect(area(canvas)).toBe(4);
});
