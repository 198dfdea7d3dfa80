/** The look of things. Containers are painted in two parts, before and after their content. */
import { kindOf, knob, type KindName } from '../kinds.ts';
import { topOf, type Scene, type Thing } from '../scene.ts';
import type { Point } from './camera.ts';
import type { Colour } from './canvas.ts';
import { apple, bottle, bowl, can, cup, jar, lemon, mug, plate, type Paint } from './round-things.ts';
import {
  levelOf,
  paintBox,
  paintInside,
  paintLevel,
  paintOutside,
  paintTurned,
  sidesOf,
  type Box,
  type OpenBox,
  type Turned,
} from './solids.ts';
import { lit, shaded, type View } from './view.ts';

interface Looks {
  /** painted before the things on it */
  readonly back: Paint;
  /** after it */
  readonly front?: Paint;
}

const steel: Colour = [186, 190, 196];

const cocoa: Colour = [112, 66, 44];
const cream: Colour = [246, 226, 190];
const moss: Colour = [88, 150, 84];

function boxOf({ kind, x, y, z, yaw }: Thing): Box {
  const { shape, height } = kindOf(kind);
  const half = 'round' in shape ? ([shape.round, shape.round] as const) : shape.half;
  return { x, y, yaw, half, from: z, to: z + height };
}

const carton: Paint = (view, thing) => {
  const box = boxOf(thing);
  const [paper, band]: readonly [Colour, Colour] = [
    [236, 240, 244],
    [72, 138, 206],
  ];
  const shoulder = thing.z + 0.072;
  paintBox(view, { ...box, to: thing.z + 0.026 }, band);
  paintBox(view, { ...box, from: thing.z + 0.026, to: shoulder }, paper);
  const [a, b, c, d] = levelOf(box, shoulder) as [Point, Point, Point, Point];
  const ridge = (one: Point, other: Point): Point => [
    (one[0] + other[0]) / 2,
    (one[1] + other[1]) / 2,
    thing.z + 0.1,
  ];
  const [left, right] = [ridge(d, a), ridge(b, c)];
  view.face([b, c, right], shaded(paper, 0.8));
  view.face([d, a, left], shaded(paper, 0.86));
  view.face([c, d, left, right], shaded(band, 0.9));
  view.face([a, b, right, left], shaded(band, 1.08));
};

const cocoaBox: Paint = (view, thing) => {
  const box = boxOf(thing);
  paintBox(view, { ...box, top: shaded(cocoa, 1.05) }, cocoa);
  const label = { ...box, half: [box.half[0] * 0.62, box.half[1] * 0.6] as const };
  view.face(levelOf(label, box.to), cream);
  const stripe = { ...box, half: [box.half[0] * 0.4, box.half[1] * 0.16] as const };
  view.face(levelOf(stripe, box.to), [196, 98, 52]);
};

const sponge: Paint = (view, thing) => {
  const box = boxOf(thing);
  const seam = thing.z + 0.021;
  paintBox(view, { ...box, to: seam }, [246, 214, 92]);
  paintBox(view, { ...box, from: seam }, moss);
};

const tray: Paint = (view, thing) => {
  const box = boxOf(thing);
  const [rim, floor]: readonly [Colour, Colour] = [
    [64, 126, 128],
    [96, 164, 162],
  ];
  paintBox(view, { ...box, top: shaded(rim, 1.1) }, rim);
  const inner = { ...box, half: [box.half[0] - 0.008, box.half[1] - 0.008] as const };
  view.face(levelOf(inner, box.to), shaded(floor, 0.86));
  const lower = { ...inner, half: [inner.half[0] - 0.003, inner.half[1] - 0.003] as const };
  view.face(levelOf(lower, box.to), lit(floor, [0, 0, 1]));
};

const straw: Colour = [196, 150, 88];

function basketOf(thing: Thing): OpenBox {
  return { outer: boxOf(thing), wall: 0.009, floor: 0.006, colour: straw };
}

/** Woven: darker patches, every other one in every other row. */
const weave = (view: View, outer: Box): void => {
  for (const { corners, normal } of sidesOf(outer)) {
    const [low, next, , high] = corners as [Point, Point, Point, Point];
    const count = Math.abs(normal[1]) > 0.5 ? 10 : 8;
    for (let row = 0; row < 4; row++)
      for (let column = row % 2; column < count; column += 2) {
        const at = (share: number, rise: number): Point => [
          low[0] + (next[0] - low[0]) * share,
          low[1] + (next[1] - low[1]) * share,
          low[2] + (high[2] - low[2]) * (0.06 + rise * 0.88),
        ];
        const [left, right, from, to] = [column / count, (column + 1) / count, row / 4, (row + 1) / 4];
        view.face(
          [at(left, from), at(right, from), at(right, to), at(left, to)],
          shaded(lit(straw, normal), 0.84),
        );
      }
  }
};

const walnut: Colour = [146, 98, 66];
const pine: Colour = [206, 164, 112];

const cabinet: Paint = (view, thing) => {
  const box = boxOf(thing);
  paintBox(view, { ...box, to: box.to - 0.01 }, walnut);
  const overhang = [box.half[0] + 0.004, box.half[1] + 0.004] as const;
  const board = { ...box, half: overhang, from: box.to - 0.01, top: shaded(walnut, 1.16) };
  paintBox(view, board, shaded(walnut, 1.08));
  const front = box.y - box.half[1] - 0.0005;
  const panel = (from: number, to: number, colour: Colour): void => {
    const [left, right] = [box.x - 0.112, box.x + 0.112];
    view.face(
      [
        [left, front, from],
        [right, front, from],
        [right, front, to],
        [left, front, to],
      ],
      colour,
    );
  };
  panel(0.008, 0.052, shaded(walnut, 0.86));
  panel(0.056, 0.122, [54, 36, 26]);
};

/** The part of a drawer outside its cabinet. */
function drawerOf(thing: Thing, scene: Scene): OpenBox {
  const cabinet = scene.things.find(({ name }) => name === thing.on)!;
  const [near, far] = [thing.y - 0.075, Math.min(thing.y + 0.075, cabinet.y - 0.0855)];
  const half = [0.105, Math.max((far - near) / 2, 0.002)] as const;
  const outer = { ...boxOf(thing), y: (near + far) / 2, half };
  return { outer, wall: 0.008, floor: 0.006, colour: pine };
}

const drawerInside: Paint = (view, thing, scene) => {
  const open = drawerOf(thing, scene);
  if (open.outer.half[1] < 0.012) return;
  // there is no wall where the cabinet begins: the inside continues
  const { outer } = open;
  paintInside(view, {
    ...open,
    outer: { ...outer, y: outer.y + 0.004, half: [outer.half[0], outer.half[1] + 0.004] },
  });
};

const drawerFront: Paint = (view, thing, scene) => {
  const open = drawerOf(thing, scene);
  if (open.outer.half[1] >= 0.012) paintOutside(view, open);
  const front = thing.y - 0.075;
  const panel = { x: thing.x, y: front - 0.003, yaw: 0, half: [0.112, 0.003] as const };
  paintBox(view, { ...panel, from: thing.z - 0.003, to: thing.z + 0.061 }, shaded(walnut, 1.2));
  const [kx, ky, kz] = [thing.x, thing.y + knob.y, thing.z + knob.z];
  paintBox(
    view,
    { x: kx, y: (ky + front) / 2, yaw: 0, half: [0.005, (front - ky) / 2], from: kz - 0.005, to: kz + 0.005 },
    steel,
  );
  view.disc([kx, ky, kz], 0.0125, { colour: shaded(steel, 0.85) });
  view.disc([kx, ky, kz], 0.009, { colour: shaded(steel, 1.15), shift: [-0.2, -0.25] });
};

const stove: Paint = (view, thing, { lit: isLit }) => {
  paintBox(view, { ...boxOf(thing), top: [70, 72, 78] }, [88, 90, 96]);
  const top = topOf(thing);
  const middle: Point = [thing.x - 0.018, thing.y + 0.013, top];
  const rings: readonly (readonly [number, Colour])[] = isLit
    ? [
        [0.056, [120, 50, 40]],
        [0.051, [236, 92, 44]],
        [0.039, [150, 48, 34]],
        [0.034, [250, 132, 56]],
        [0.018, [168, 54, 36]],
      ]
    : [
        [0.056, [52, 53, 58]],
        [0.051, [104, 106, 112]],
        [0.039, [58, 59, 64]],
        [0.034, [100, 102, 108]],
        [0.018, [60, 61, 66]],
      ];
  for (const [radius, colour] of rings) paintLevel(view, middle, { radius, colour });
};

const button: Paint = (view, { x, y, z }, { lit: isLit }) => {
  const colour: Colour = isLit ? [255, 120, 60] : [222, 222, 226];
  const height = isLit ? 0.006 : 0.012;
  const rings: Turned['rings'] = [
    [0.015, 0],
    [0.014, height],
    [0, height],
  ];
  paintTurned(view, { at: [x, y, z], rings, colours: [shaded(colour, 0.8), colour] });
};

const looks: Readonly<Record<KindName, Looks>> = {
  bowl: { back: bowl },
  mug: { back: mug },
  can: { back: can },
  carton: { back: carton },
  bottle: { back: bottle },
  box: { back: cocoaBox },
  sponge: { back: sponge },
  lemon: { back: lemon },
  apple: { back: apple },
  jar: { back: jar },
  cup: { back: cup },
  plate: { back: plate },
  tray: { back: tray },
  basket: {
    back: (view, thing) => paintInside(view, basketOf(thing)),
    front: (view, thing) => {
      paintOutside(view, basketOf(thing));
      weave(view, boxOf(thing));
    },
  },
  cabinet: { back: cabinet },
  drawer: { back: drawerInside, front: drawerFront },
  stove: { back: stove },
  button: { back: button },
};

export function looksOf({ kind }: Thing): Looks {
  return looks[kind];
}
