/** How round things look: rings from the foot up, over the rim and down inside, and the colours between them. */
import { cosine, sine } from '../angle.ts';
import type { Scene, Thing } from '../scene.ts';
import type { Point } from './camera.ts';
import type { Colour } from './canvas.ts';
import { paintTurned, type Ring } from './solids.ts';
import { shaded, type View } from './view.ts';

export type Paint = (view: View, thing: Thing, scene: Scene) => void;

const white: Colour = [240, 238, 230];
const steel: Colour = [186, 190, 196];
const cream: Colour = [246, 226, 190];
const sun: Colour = [247, 208, 60];
const red: Colour = [206, 58, 48];
const blue: Colour = [62, 112, 178];
const green: Colour = [78, 156, 92];
/** A round thing by its rings and the colours of its bands. */
function turned(rings: readonly Ring[], colours: readonly Colour[]): Paint {
  return (view, { x, y, z }) => paintTurned(view, { at: [x, y, z], rings, colours });
}

const ink: Colour = [52, 52, 58];

export const bowl = turned(
  [
    [0.024, 0],
    [0.034, 0.01],
    [0.04, 0.026],
    [0.042, 0.042],
    [0.038, 0.042],
    [0.031, 0.016],
    [0.022, 0.009],
    [0, 0.009],
  ],
  [ink, ink, ink, [96, 96, 104], [46, 46, 52], [40, 40, 46], [34, 34, 40]],
);

const mugBody = turned(
  [
    [0.032, 0],
    [0.034, 0.005],
    [0.034, 0.065],
    [0.03, 0.065],
    [0.029, 0.02],
    [0, 0.02],
  ],
  [red, red, shaded(red, 1.15), [150, 44, 38], [110, 32, 28]],
);

export const mug: Paint = (view, thing, scene) => {
  const [c, s] = [cosine(thing.yaw), sine(thing.yaw)];
  const arc = (radius: number, share: number): Point => {
    const angle = (share - 0.5) * 3.1;
    const [out, height] = [0.031 + radius * cosine(angle), 0.034 + radius * sine(angle)];
    return [thing.x + c * out, thing.y + s * out, thing.z + height];
  };
  const shares = [0, 0.2, 0.4, 0.6, 0.8, 1];
  const ring = [
    ...shares.map((share) => arc(0.026, share)),
    ...[...shares].reverse().map((share) => arc(0.016, share)),
  ];
  view.sheet(ring, shaded(red, 0.86));
  mugBody(view, thing, scene);
};

export const can = turned(
  [
    [0.03, 0],
    [0.03, 0.009],
    [0.03, 0.066],
    [0.03, 0.075],
    [0.027, 0.075],
    [0.026, 0.072],
    [0, 0.072],
  ],
  [steel, [214, 92, 52], steel, [214, 218, 222], [150, 154, 160], [196, 200, 206]],
);

export const bottle = turned(
  [
    [0.027, 0],
    [0.027, 0.018],
    [0.027, 0.056],
    [0.027, 0.07],
    [0.011, 0.094],
    [0.011, 0.104],
    [0.014, 0.104],
    [0.014, 0.12],
    [0, 0.12],
  ],
  [green, cream, green, green, green, [214, 176, 62], [214, 176, 62], [232, 196, 84]],
);

export const jar = turned(
  [
    [0.029, 0],
    [0.031, 0.006],
    [0.031, 0.044],
    [0.027, 0.05],
    [0.031, 0.05],
    [0.031, 0.062],
    [0, 0.062],
  ],
  [[150, 74, 128], [170, 84, 146], [150, 74, 128], white, white, [250, 248, 242]],
);

export const cup = turned(
  [
    [0.022, 0],
    [0.025, 0.026],
    [0.0285, 0.05],
    [0.031, 0.07],
    [0.028, 0.07],
    [0.022, 0.016],
    [0, 0.016],
  ],
  [white, [86, 176, 190], white, white, [214, 210, 200], [190, 186, 176]],
);

export const lemon = turned(
  [
    [0, 0],
    [0.013, 0.003],
    [0.021, 0.01],
    [0.024, 0.019],
    [0.021, 0.028],
    [0.013, 0.034],
    [0.005, 0.037],
    [0, 0.04],
  ],
  [sun, sun, sun, sun, sun, sun, sun],
);

const appleBody = turned(
  [
    [0.008, 0],
    [0.022, 0.005],
    [0.03, 0.022],
    [0.029, 0.036],
    [0.021, 0.047],
    [0.011, 0.049],
    [0, 0.044],
  ],
  [
    [150, 170, 60],
    [170, 176, 60],
    [176, 190, 66],
    [160, 190, 70],
    [140, 178, 66],
    [112, 146, 54],
  ],
);

export const apple: Paint = (view, thing, scene) => {
  appleBody(view, thing, scene);
  const { x, y, z } = thing;
  const stem: readonly Ring[] = [
    [0.0035, 0.044],
    [0.0025, 0.058],
    [0, 0.058],
  ];
  paintTurned(view, {
    at: [x, y, z],
    rings: stem,
    colours: [
      [96, 66, 42],
      [112, 66, 44],
    ],
  });
};

export const plate = turned(
  [
    [0.05, 0],
    [0.075, 0.012],
    [0.069, 0.012],
    [0.062, 0.0112],
    [0.05, 0.0095],
    [0, 0.0095],
  ],
  [[206, 206, 204], white, blue, white, [250, 249, 244]],
);
