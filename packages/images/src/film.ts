/** Films of episodes: pictures with words below them, as an animated GIF that opens everywhere. */
import { createRequire } from 'node:module';
import { EmacError, type Frame } from '@emac/core';

export interface Scene {
  readonly frame: Frame;
  /** text below the picture; long ones are broken into at most three lines */
  readonly caption: string;
}

export interface FilmOptions {
  /** milliseconds per scene; default 1200 */
  readonly delay?: number;
  /** film pixels per frame pixel, a whole number; default 2 */
  readonly scale?: number;
}

interface Font {
  readonly width: number;
  readonly height: number;
  /** the letters, in column order */
  readonly lookup: readonly string[];
  /** columns of each letter, the lowest bit on top */
  readonly fontData: readonly number[];
}
interface GifEncoder {
  writeFrame(
    index: Uint8Array,
    width: number,
    height: number,
    options: { palette: number[][]; delay: number },
  ): void;
  finish(): void;
  bytes(): Uint8Array;
}
interface Gif {
  GIFEncoder(): GifEncoder;
  quantize(rgba: Uint8Array, colours: number): number[][];
  applyPalette(rgba: Uint8Array, palette: number[][]): Uint8Array;
}

const installed = createRequire(import.meta.url);
const [lines, space] = [3, 3];
const [paper, ink] = [24, 240];

/** The GIF of these scenes; scenes are read one at a time. Errors: `data` without scenes, or for frames of different sizes. */
export function encodeFilm(
  scenes: Iterable<Scene>,
  { delay = 1200, scale = 2 }: FilmOptions = {},
): Uint8Array {
  const font = installed('oled-font-5x7') as Font;
  const { GIFEncoder, quantize, applyPalette } = installed('gifenc') as Gif;
  const film = GIFEncoder();
  let first: { readonly width: number; readonly height: number } | null = null;
  let index = 0;
  for (const { frame, caption } of scenes) {
    const { width, height } = (first ??= { width: frame.width, height: frame.height });
    if (frame.width !== width || frame.height !== height)
      throw new EmacError(
        'data',
        `film: scene ${index} is of ${frame.width} × ${frame.height} pixels, the first of ${width} × ${height}`,
      );
    index++;
    const size = {
      width: width * scale,
      height: height * scale + lines * (font.height + space) * scale + space * scale,
    };
    const canvas = { ...size, scale, rgba: new Uint8Array(size.width * size.height * 4).fill(paper) };
    drawFrame(canvas, frame);
    brokenInto(caption, Math.floor(width / (font.width + 1))).forEach((line, row) => {
      drawLine(canvas, line, { font, top: height + space + row * (font.height + space) });
    });
    for (let alpha = 3; alpha < canvas.rgba.length; alpha += 4) canvas.rgba[alpha] = 255;
    const palette = quantize(canvas.rgba, 256);
    film.writeFrame(applyPalette(canvas.rgba, palette), size.width, size.height, { palette, delay });
  }
  if (!first) throw new EmacError('data', 'film: has no scenes; give one or more');
  film.finish();
  return film.bytes();
}

/** Breaks between words if possible; excess text ends with three dots. */
export function brokenInto(text: string, length: number): string[] {
  const broken: string[] = [];
  for (const word of text.split(/\s+/).filter((each) => each !== '')) {
    const last = broken.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= length)
      broken[broken.length - 1] = `${last} ${word}`;
    else broken.push(word.slice(0, length));
  }
  if (broken.length <= lines) return broken;
  return [...broken.slice(0, lines - 1), `${broken[lines - 1]!.slice(0, length - 3)}...`];
}

interface Canvas {
  readonly width: number;
  readonly height: number;
  readonly scale: number;
  readonly rgba: Uint8Array;
}

function drawFrame(canvas: Canvas, { width, height, data }: Frame): void {
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const at = (y * width + x) * 3;
      dot(canvas, { x, y }, [data[at]!, data[at + 1]!, data[at + 2]!]);
    }
}

/** Draws letters missing from the font as question marks. */
function drawLine(
  canvas: Canvas,
  line: string,
  { font, top }: { readonly font: Font; readonly top: number },
): void {
  [...line].forEach((letter, place) => {
    const found = font.lookup.indexOf(letter);
    const known = found < 0 ? font.lookup.indexOf('?') : found;
    for (let column = 0; column < font.width; column++)
      for (let row = 0; row < font.height; row++)
        if ((font.fontData[known * font.width + column]! >> row) & 1)
          dot(canvas, { x: space + place * (font.width + 1) + column, y: top + row }, [ink, ink, ink]);
  });
}

/** One pixel of a frame, enlarged. */
function dot(
  { width, scale, rgba }: Canvas,
  { x, y }: { readonly x: number; readonly y: number },
  colour: readonly [number, number, number],
): void {
  for (let row = 0; row < scale; row++)
    for (let column = 0; column < scale; column++)
      rgba.set(colour, ((y * scale + row) * width + x * scale + column) * 4);
}
