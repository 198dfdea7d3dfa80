/** The colours of pictures by name, as RGB bytes. */
export type Colour = readonly [number, number, number];

const hex = {
  white: 'fdfdfb',
  cream: 'f5ecd7',
  silver: 'c9ced6',
  grey: '8d949e',
  slate: '555e6b',
  black: '22252b',
  ink: '3a3f4a',
  red: 'd8342f',
  crimson: '9e1b32',
  pink: 'f291a8',
  rose: 'd95f86',
  orange: 'ee8a2b',
  amber: 'f7b733',
  yellow: 'f9dd4a',
  gold: 'd4a017',
  lime: 'a9d14a',
  green: '4caf50',
  forest: '21703a',
  olive: '7d8430',
  teal: '1f9e97',
  mint: 'a4e2c6',
  cyan: '5cc8ea',
  sky: 'a6d8f5',
  blue: '2f6fd0',
  navy: '203f80',
  violet: '7a4fc0',
  lilac: 'c6a8ea',
  magenta: 'c238a8',
  brown: '8a5a34',
  oak: 'c08a52',
  tan: 'ddb987',
  walnut: '5d3b22',
  brick: 'b5593c',
  skin: 'f0bd94',
  glass: 'cdeaf2',
} as const;

export type ColourName = keyof typeof hex;

export const isColourName = (text: string): text is ColourName => Object.hasOwn(hex, text);

/** '#rrggbb' without the '#' as three bytes. */
export function colourOf(rgb: string): Colour {
  return [0, 2, 4].map((at) => Number.parseInt(rgb.slice(at, at + 2), 16)) as unknown as Colour;
}

export const palette = Object.fromEntries(
  Object.entries(hex).map(([name, rgb]) => [name, colourOf(rgb)]),
) as Readonly<Record<ColourName, Colour>>;

/** A colour of that hue (degrees) with lightness and saturation in 0…1. */
export function hueColour(hue: number, saturation: number, lightness: number): Colour {
  const channel = (offset: number): number => {
    const k = (offset + hue / 30) % 12;
    const value =
      lightness - saturation * Math.min(lightness, 1 - lightness) * Math.max(-1, Math.min(k - 3, 9 - k, 1));
    return Math.round(255 * value);
  };
  return [channel(0), channel(8), channel(4)];
}
