/** The things on the table: sizes in metres, grip, cavities. */

/** As seen from above, around the thing's place. */
export type Shape =
  | { readonly round: number }
  /** half sides along the thing's own x and y, before rotation by its yaw */
  | { readonly half: readonly [number, number] };

export interface Kind {
  readonly shape: Shape;
  readonly height: number;
  /** a hand can lift it */
  readonly liftable: boolean;
  /** the cavity: its shape, and its height above the thing's bottom; null for solid things */
  readonly hollow: { readonly shape: Shape; readonly floor: number } | null;
}

const lifted = (shape: Shape, height: number): Kind => ({ shape, height, liftable: true, hollow: null });
const fixed = (shape: Shape, height: number): Kind => ({ shape, height, liftable: false, hollow: null });

export const buttonRadius = 0.015;

export const kinds = {
  bowl: { ...lifted({ round: 0.042 }, 0.042), hollow: { shape: { round: 0.034 }, floor: 0.008 } },
  mug: lifted({ round: 0.034 }, 0.065),
  can: lifted({ round: 0.03 }, 0.075),
  carton: lifted({ half: [0.028, 0.028] }, 0.1),
  bottle: lifted({ round: 0.027 }, 0.12),
  box: lifted({ half: [0.062, 0.027] }, 0.045),
  sponge: lifted({ half: [0.048, 0.03] }, 0.03),
  lemon: lifted({ round: 0.024 }, 0.04),
  apple: lifted({ round: 0.03 }, 0.054),
  jar: lifted({ round: 0.031 }, 0.062),
  cup: lifted({ round: 0.031 }, 0.07),
  plate: fixed({ round: 0.075 }, 0.012),
  tray: fixed({ half: [0.105, 0.075] }, 0.012),
  basket: {
    ...fixed({ half: [0.11, 0.085] }, 0.06),
    hollow: { shape: { half: [0.101, 0.076] }, floor: 0.006 },
  },
  cabinet: fixed({ half: [0.125, 0.085] }, 0.15),
  drawer: {
    ...fixed({ half: [0.105, 0.075] }, 0.055),
    hollow: { shape: { half: [0.097, 0.067] }, floor: 0.006 },
  },
  stove: fixed({ half: [0.085, 0.075] }, 0.022),
  button: fixed({ round: buttonRadius }, 0.012),
} as const satisfies Record<string, Kind>;

export type KindName = keyof typeof kinds;

/** The kind of a name, with all its fields. */
export function kindOf(name: KindName): Kind {
  return kinds[name];
}

/** How a drawer stands in its cabinet, from the cabinet's middle on its floor; y points away from the viewer. */
export const drawerPlace = { y: -0.014, z: 0.06, reach: 0.12 } as const;
/** Its knob, from the drawer's middle on its bottom: a thing that the hand closes on. */
export const knob = { y: -0.108, z: 0.03, width: 0.024 } as const;
/** The button, from the stove's middle. */
export const buttonPlace = { x: 0.06, y: -0.05 } as const;
