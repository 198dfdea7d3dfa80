/** A person's view of a game: shows the frame whenever it changes. */
import type { Frame } from '@emac/core';
import type { Io } from '../terminal/io.ts';
import { formOfTerminal, pictureText, sideOf, type PictureForm } from './terminal-pictures.ts';

/** How a terminal shows frames; `auto` asks the environment, and half blocks need room. */
export function usedForm(
  form: PictureForm | 'auto',
  { stdout, env }: Pick<Io, 'stdout' | 'env'>,
): PictureForm {
  const asked = form === 'auto' ? formOfTerminal(env) : form;
  return asked === 'blocks' && stdout.columns < sideOf(asked) ? 'none' : asked;
}

/** Writes frames to standard output; `draw` receives the side in pixels that fits, null without frames. */
export function shownFrames(
  form: PictureForm | 'auto',
  { stdout, env }: Pick<Io, 'stdout' | 'env'>,
): (draw: (side: number) => Frame | null) => Promise<void> {
  const used = usedForm(form, { stdout, env });
  let before = '';
  return async (draw) => {
    const frame = used === 'none' ? null : draw(sideOf(used));
    if (frame === null || used === 'none') return;
    const text = await pictureText(frame, used);
    if (text !== before) stdout.write(text);
    before = text;
  };
}
