import { describe, expect, it } from 'vitest';
import { sceneOf } from '../starts.ts';
import { replaced } from '../grip.ts';
import { thingOf, type Scene } from '../scene.ts';
import { agentCamera, project } from './camera.ts';
import { Canvas } from './canvas.ts';
import { paint } from './painter.ts';
import { hull } from './shadows.ts';

const scene = sceneOf('object', { task: 8, state: 2 });

/** How many of a picture's bytes differ by more than a little. */
function difference(one: Scene, other: Scene, size: number): number {
  const [a, b] = [paint(one, size, 'agent').data, paint(other, size, 'agent').data];
  return a.filter((value, at) => Math.abs(value - b[at]!) > 8).length;
}

describe('a polygon', () => {
  const covered = (points: readonly number[]): number[] => {
    const canvas = new Canvas(4);
    canvas.fill(points, [200, 200, 200]);
    return [...canvas.pixels].filter((_, at) => at % 3 === 0);
  };

  it('covers pixels by its exact area, either way around', () => {
    // from 0.5 to 2.25 across, from 1 to 2.5 down: shares 0.5, 1, 0.25 of a row and 0.5 of the last
    const expected = [0, 0, 0, 0, 100, 200, 50, 0, 50, 100, 25, 0, 0, 0, 0, 0];
    expect(covered([0.5, 1, 2.25, 1, 2.25, 2.5, 0.5, 2.5])).toEqual(expected);
    expect(covered([0.5, 2.5, 2.25, 2.5, 2.25, 1, 0.5, 1])).toEqual(expected);
  });

  it('is cut at the edges of the picture', () => {
    expect(covered([-9, -9, 9, -9, 9, 9, -9, 9])).toEqual(Array(16).fill(200));
    expect(covered([-3, -3, -1, -3, -1, -1])).toEqual(Array(16).fill(0));
  });

  it('has slanted edges: half of the pixels on a diagonal', () => {
    const [a, b, c] = [200, 100, 0];
    expect(covered([0, 0, 4, 4, 0, 4])).toEqual([b, c, c, c, a, b, c, c, a, a, b, c, a, a, a, b]);
  });
});

describe('a picture', () => {
  it('has the given size, is equal every time, and belongs to the caller', () => {
    for (const size of [64, 112, 224, 256]) {
      const frame = paint(scene, size, 'agent');
      expect([frame.width, frame.height, frame.data.length]).toEqual([size, size, size * size * 3]);
      const copy = frame.data.slice();
      frame.data.fill(0);
      expect(Buffer.compare(paint(scene, size, 'agent').data, copy)).toBe(0);
    }
  });

  it('changes only where something moves', () => {
    const mug = thingOf(scene, 'mug');
    const moved = replaced(scene, 'mug', { y: mug.y - 0.05 });
    const size = 128;
    const [a, b] = [paint(scene, size, 'agent').data, paint(moved, size, 'agent').data];
    const [from, to] = [mug.y, mug.y - 0.05].map((y) => {
      const out = [0, 0];
      project(agentCamera, [mug.x, y, 0.03], out);
      return out.map((side) => side! * size) as [number, number];
    }) as [[number, number], [number, number]];
    let changed = 0;
    for (let at = 0; at < a.length; at++) {
      if (a[at] === b[at]) continue;
      changed++;
      const [x, y] = [Math.floor(at / 3) % size, Math.floor(at / 3 / size)];
      const isNear = [from, to].some(([px, py]) => Math.abs(x - px) < 20 && Math.abs(y - py) < 20);
      expect(isNear).toBe(true);
    }
    expect(changed).toBeGreaterThan(100);
  });

  it('shows fingers that close, a hand that turns, and a stove that is lit', () => {
    const kitchen = sceneOf('goal', { task: 1, state: 0 });
    const { hand } = kitchen;
    expect(difference(kitchen, { ...kitchen, hand: { ...hand, opening: 0.03 } }, 64)).toBeGreaterThan(20);
    expect(difference(kitchen, { ...kitchen, hand: { ...hand, turn: [0, 0, 1] } }, 64)).toBeGreaterThan(40);
    expect(difference(kitchen, { ...kitchen, lit: true }, 64)).toBeGreaterThan(10);
  });

  it('follows the hand from the wrist', () => {
    const { hand } = scene;
    const other = { ...scene, hand: { ...hand, x: hand.x + 0.1 } };
    expect(Buffer.compare(paint(scene, 64, 'wrist').data, paint(other, 64, 'wrist').data)).not.toBe(0);
  });
});

describe('a shadow’s outline', () => {
  it('is convex: inner points are excluded', () => {
    const corners = hull([
      [0, 0, 0],
      [2, 0, 0],
      [1, 1, 0],
      [2, 2, 0],
      [0, 2, 0],
      [1, 0, 0],
    ]);
    expect(corners.map(([x, y]) => [x, y])).toEqual([
      [0, 0],
      [2, 0],
      [2, 2],
      [0, 2],
    ]);
  });
});
