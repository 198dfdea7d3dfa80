/**
 * The robot: a base behind the table's middle, two links with the elbow up, and a hand with two fingers. The links
 * follow the hand, by the law of cosines; only the palm shows the hand's tilt.
 */
import { cosine, sine } from '../angle.ts';
import type { Hand } from '../scene.ts';
import { finger, palm } from '../support.ts';
import type { Point } from './camera.ts';
import type { Colour } from './canvas.ts';
import { paintBox, paintTurned } from './solids.ts';
import { shaded, type View } from './view.ts';

const shoulder: Point = [0, 0.43, 0.26];
const link = 0.4;
const shell: Colour = [238, 238, 236];
const joint: Colour = [92, 100, 112];
const rubber: Colour = [64, 66, 72];

/** The parts behind everything. */
export function paintBase(view: View): void {
  const [x, y] = shoulder;
  const rings = [
    [0.085, 0],
    [0.085, 0.03],
    [0.06, 0.045],
    [0.055, 0.2],
    [0.06, 0.24],
    [0, 0.24],
  ] as const;
  paintTurned(view, { at: [x, y, 0], rings, colours: [joint, joint, shell, shell, joint] });
}

/** Both links, down to the palm. */
export function paintArm(view: View, hand: Hand): void {
  const wrist: Point = [hand.x, hand.y, hand.z + 0.18];
  const elbow = elbowOf(wrist);
  ball(view, shoulder, { radius: 0.062, colour: joint });
  paintLink(view, [shoulder, elbow], [0.05, 0.043]);
  paintLink(view, [elbow, wrist], [0.043, 0.034]);
  ball(view, elbow, { radius: 0.052, colour: joint });
  const rings = [
    [0.03, 0.105],
    [0.03, 0.16],
    [0.034, 0.18],
    [0, 0.18],
  ] as const;
  paintTurned(view, { at: [hand.x, hand.y, hand.z], rings, colours: [joint, shell, shell] });
  ball(view, wrist, { radius: 0.04, colour: joint });
}

export function paintPalm(view: View, { x, y, z, turn }: Hand): void {
  const [lean, bow] = [0.1 * turn[1], -0.1 * turn[0]];
  const box = { x: x + lean * 0.5, y: y + bow * 0.5, yaw: turn[2], half: [0.062, 0.024] as const };
  paintBox(view, { ...box, from: z + palm.z, to: z + 0.11, top: shell }, shaded(shell, 0.94));
  paintBox(view, { ...box, half: [0.062, 0.025], from: z + palm.z, to: z + palm.z + 0.01 }, rubber);
}

/** One of the two: −1 left, 1 right of a hand that is not turned. */
export function paintFinger(view: View, hand: Hand, side: -1 | 1): void {
  const { x, y } = fingerPlace(hand, side);
  const yaw = hand.turn[2];
  const box = { x, y, yaw, half: [0.0085, 0.011] as const };
  paintBox(view, { ...box, from: hand.z + 0.022, to: hand.z + palm.z }, joint);
  paintBox(view, { ...box, from: hand.z, to: hand.z + 0.022 }, rubber);
}

export function fingerPlace({ x, y, turn, opening }: Hand, side: -1 | 1): { x: number; y: number } {
  const reach = side * (opening / 2 + finger.beside);
  return { x: x + reach * cosine(turn[2]), y: y + reach * sine(turn[2]) };
}

/** Above the middle between shoulder and wrist, so far that both links fit. */
function elbowOf(wrist: Point): Point {
  const way = wrist.map((value, axis) => value - shoulder[axis]!) as unknown as Point;
  const square = way[0] * way[0] + way[1] * way[1] + way[2] * way[2];
  const height = Math.sqrt(Math.max(link * link - square / 4, 0));
  const level = Math.sqrt(way[0] * way[0] + way[1] * way[1]);
  const length = Math.sqrt(square);
  const [dx, dy] = level === 0 ? [0, 0] : [way[0] / level, way[1] / level];
  const [flat, up] = [(-way[2] / length) * height, (level / length) * height];
  return [
    shoulder[0] + way[0] / 2 + dx * flat,
    shoulder[1] + way[1] / 2 + dy * flat,
    shoulder[2] + way[2] / 2 + up,
  ];
}

/** A tube that narrows, with a light and a dark side. */
function paintLink(
  view: View,
  [from, to]: readonly [Point, Point],
  [wide, narrow]: readonly [number, number],
): void {
  const [x0, y0, x1, y1] = view.project([from, to]) as [number, number, number, number];
  const [r0, r1] = [view.pixels(wide, from), view.pixels(narrow, to)];
  const [dx, dy] = [x1 - x0, y1 - y0];
  const length = Math.sqrt(dx * dx + dy * dy);
  if (length === 0) return;
  // to the left of the picture, where the lamp is
  const sign = dy > 0 ? 1 : -1;
  const [nx, ny] = [(-dy / length) * sign, (dx / length) * sign];
  const bands = [-1, -0.75, -0.35, 0.1, 0.5, 0.8, 1] as const;
  const lights = [0.93, 1, 1.03, 0.96, 0.86, 0.76] as const;
  lights.forEach((light, band) => {
    const edge = (share: number, grow: number) => [
      [x0 + nx * r0 * (share + grow), y0 + ny * r0 * (share + grow)],
      [x1 + nx * r1 * (share + grow), y1 + ny * r1 * (share + grow)],
    ];
    const [[a, b], [d, c]] = [edge(bands[band]!, 0), edge(bands[band + 1]!, band < 5 ? 0.03 : 0)] as [
      [number[], number[]],
      [number[], number[]],
    ];
    view.canvas.fill([...a, ...b, ...c, ...d], shaded(shell, light));
  });
}

function ball(view: View, middle: Point, { radius, colour }: { radius: number; colour: Colour }): void {
  view.disc(middle, radius, { colour: shaded(colour, 0.8) });
  view.disc(middle, radius * 0.84, { colour: shaded(colour, 0.98), shift: [-0.12, -0.12] });
  view.disc(middle, radius * 0.5, { colour: shaded(colour, 1.18), shift: [-0.36, -0.4] });
}
