/** The empty table and the room behind it. Grain and knots come from hashed numbers, equal every time. */
import { clamped } from '../angle.ts';
import type { Camera } from './camera.ts';
import type { Colour } from './canvas.ts';

const plank = 0.105;
const edge = { x: 0.62, near: -0.5, far: 0.56 } as const;

/** Colours of every pixel, the mean of `looks` × `looks` looks each: row by row from the top left, three bytes a pixel. */
export function backdrop(camera: Camera, size: number, looks: number): Uint8Array {
  const pixels = new Uint8Array(size * size * 3);
  const seen: [number, number, number] = [0, 0, 0];
  for (let at = 0; at < size * size; at++) {
    let [red, green, blue] = [0, 0, 0];
    for (let look = 0; look < looks * looks; look++) {
      const x = ((at % size) + ((look % looks) + 0.5) / looks) / size;
      const y = (Math.floor(at / size) + (Math.floor(look / looks) + 0.5) / looks) / size;
      see(camera, [x, y], seen);
      red += seen[0];
      green += seen[1];
      blue += seen[2];
    }
    const share = 1 / (looks * looks);
    pixels[at * 3] = red * share + 0.5;
    pixels[at * 3 + 1] = green * share + 0.5;
    pixels[at * 3 + 2] = blue * share + 0.5;
  }
  return pixels;
}

/** Writes the colour at a place of the picture, in sides from its top left. */
function see(
  { at, right, up, forward, focal }: Camera,
  [x, y]: readonly [number, number],
  out: [number, number, number],
): void {
  const [across, upwards] = [(x - 0.5) / focal, (0.5 - y) / focal];
  const down = forward[2] + across * right[2] + upwards * up[2];
  const light = clamped(0.9 + upwards * 0.3, 0.7, 1.1);
  [out[0], out[1], out[2]] = [168 * light, 180 * light, 186 * light];
  if (down >= -1e-6) return;
  const far = -at[2] / down;
  const px = at[0] + far * (forward[0] + across * right[0] + upwards * up[0]);
  const py = at[1] + far * (forward[1] + across * right[1] + upwards * up[1]);
  if (px > -edge.x && px < edge.x && py > edge.near && py < edge.far) sample(px, py, out);
  else floor(px, py, out);
}

/** metres of a dot of the table's texture */
const dot = 0.0025;
const columns = Math.ceil((2 * edge.x) / dot);
const rows = Math.ceil((edge.far - edge.near) / dot);
/** made with the first picture */
let texture: Uint8Array | null = null;

function sample(x: number, y: number, out: [number, number, number]): void {
  texture ??= drawnTexture();
  const column = Math.min(Math.floor((x + edge.x) / dot), columns - 1);
  const row = Math.min(Math.floor((y - edge.near) / dot), rows - 1);
  const at = (row * columns + column) * 3;
  out[0] = texture[at]!;
  out[1] = texture[at + 1]!;
  out[2] = texture[at + 2]!;
}

function drawnTexture(): Uint8Array {
  const drawn = new Uint8Array(columns * rows * 3);
  for (let at = 0; at < columns * rows; at++) {
    const [x, y] = [
      ((at % columns) + 0.5) * dot - edge.x,
      (Math.floor(at / columns) + 0.5) * dot + edge.near,
    ];
    drawn.set(woodAt(x, y).map(Math.round), at * 3);
  }
  return drawn;
}

/** The floor behind and beside the table. */
function floor(x: number, y: number, out: [number, number, number]): void {
  const light = clamped(1.02 - 0.16 * (y - edge.far) - 0.1 * Math.abs(x), 0.5, 1.05);
  [out[0], out[1], out[2]] = [150 * light, 163 * light, 170 * light];
}

/** Planks from left to right, each with its own tone, joints, fine grain and a few broad bands. */
function woodAt(x: number, y: number): Colour {
  const row = Math.floor(y / plank);
  const along = x + 0.37 * hashed(row, 7);
  const piece = Math.floor(along / 0.55);
  const tone = 0.93 + 0.13 * hashed(row, piece);
  const wave = smooth(along * 5, row * 9.1) * 0.03;
  const bands = smooth(along * 2.2 + 31 * row, (y + wave) * 46);
  const grain = smooth(along * 9, (y + wave) * 260 + 17 * row);
  const across = Math.abs(y / plank - Math.floor(y / plank) - 0.5);
  const end = Math.abs(along / 0.55 - piece - 0.5);
  const joint = across > 0.486 || end > 0.4975 ? 0.78 : 1;
  const light = tone * joint * (0.9 + 0.11 * bands + 0.07 * grain) * (1.03 - 0.12 * x + 0.05 * y);
  return [clamped(208 * light, 0, 255), clamped(160 * light, 0, 255), clamped(108 * light, 0, 255)];
}

/** Noise from 0 to 1 between the corners of a grid. */
function smooth(x: number, y: number): number {
  const [column, row] = [Math.floor(x), Math.floor(y)];
  const [u, v] = [eased(x - column), eased(y - row)];
  const top = hashed(column, row) * (1 - u) + hashed(column + 1, row) * u;
  const bottom = hashed(column, row + 1) * (1 - u) + hashed(column + 1, row + 1) * u;
  return top * (1 - v) + bottom * v;
}

function eased(share: number): number {
  return share * share * (3 - 2 * share);
}

/** From 0 to 1, by a mix of whole numbers. */
function hashed(x: number, y: number): number {
  let mixed = Math.imul(x | 0, 0x27d4eb2d) ^ Math.imul(y | 0, 0x165667b1);
  mixed = Math.imul(mixed ^ (mixed >>> 15), 0x2c1b3c6d);
  mixed = Math.imul(mixed ^ (mixed >>> 12), 0x297a2d39);
  return ((mixed ^ (mixed >>> 15)) >>> 0) / 4294967296;
}
