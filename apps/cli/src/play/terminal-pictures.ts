/**
 * Frames in a terminal: pictures if the terminal is known to draw them (protocols of kitty and iTerm2, sixel), else half blocks in colour, two pixels a
 * character.
 */
import type { Frame } from '@emac/core';
import { encodePng } from '@emac/images';

export const pictureForms = ['kitty', 'iterm', 'sixel', 'blocks', 'none'] as const;
export type PictureForm = (typeof pictureForms)[number];

/** The form of pictures, guessed from the environment; `none` without a hint of colours. */
export function formOfTerminal(env: Readonly<Record<string, string | undefined>>): PictureForm {
  const { TERM = '', TERM_PROGRAM = '', COLORTERM = '' } = env;
  const hasColours = /^(truecolor|24bit)$/.test(COLORTERM);
  // a multiplexer lets no pictures through
  if (env['TMUX'] || /^(screen|tmux)/.test(TERM)) return hasColours ? 'blocks' : 'none';
  if (env['KITTY_WINDOW_ID'] || /kitty|ghostty/.test(TERM) || TERM_PROGRAM === 'ghostty') return 'kitty';
  if (/^(iTerm\.app|WezTerm|mintty)$/.test(TERM_PROGRAM)) return 'iterm';
  if (/^(foot|mlterm|yaft)|sixel/.test(TERM)) return 'sixel';
  return hasColours ? 'blocks' : 'none';
}

/** Sides of a frame in pixels, for a form. */
export function sideOf(form: PictureForm): number {
  return form === 'blocks' ? blockSide : 224;
}

/** The smallest picture; half blocks need as many characters. */
const blockSide = 56;

/** Characters that show a frame and end its last line. */
export async function pictureText(frame: Frame, form: PictureForm): Promise<string> {
  switch (form) {
    case 'kitty':
      return kitty(await encodePng(frame));
    case 'iterm':
      return iterm(await encodePng(frame));
    case 'sixel':
      return sixel(frame);
    case 'blocks':
      return halfBlocks(frame);
    case 'none':
      return '';
  }
}

/** https://sw.kovidgoyal.net/kitty/graphics-protocol: PNG in pieces of 4096 characters; q=2 asks for no answer. */
function kitty(png: Uint8Array): string {
  const pieces =
    Buffer.from(png)
      .toString('base64')
      .match(/.{1,4096}/g) ?? [];
  const sent = pieces.map((piece, place) => {
    const isLast = place === pieces.length - 1;
    return `\u001b_G${place === 0 ? 'a=T,f=100,q=2,' : ''}m=${isLast ? 0 : 1};${piece}\u001b\\`;
  });
  return `${sent.join('')}\n`;
}

/** https://iterm2.com/documentation-images.html */
function iterm(png: Uint8Array): string {
  const content = Buffer.from(png).toString('base64');
  return `\u001b]1337;File=inline=1;size=${png.byteLength}:${content}\u0007\n`;
}

async function sixel({ width, height, data }: Frame): Promise<string> {
  const { image2sixel } = await import('sixel');
  const rgba = new Uint8ClampedArray(width * height * 4).fill(255);
  for (let pixel = 0; pixel < width * height; pixel++)
    rgba.set(data.subarray(pixel * 3, pixel * 3 + 3), pixel * 4);
  return `${image2sixel(rgba, width, height, 256, 1)}\n`;
}

/** The upper pixel is the colour of the block, the lower one its background. */
function halfBlocks({ width, height, data }: Frame): string {
  const colour = (x: number, y: number) =>
    [...data.subarray((y * width + x) * 3, (y * width + x) * 3 + 3)].join(';');
  const lines = Array.from({ length: Math.floor(height / 2) }, (_, row) => {
    const cells = Array.from(
      { length: width },
      (_each, x) => `\u001b[38;2;${colour(x, 2 * row)};48;2;${colour(x, 2 * row + 1)}m▀`,
    );
    return `${cells.join('')}\u001b[0m\n`;
  });
  return lines.join('');
}
