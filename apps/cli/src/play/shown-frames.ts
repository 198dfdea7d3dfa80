/** What a person sees of a game: the frame, whenever it is another one than before. */
import { renderFrame, type World } from '@emac/world';
import type { Io } from '../terminal/io.ts';
import { formOfTerminal, pictureText, sideOf, type PictureForm } from './terminal-pictures.ts';

/** Writes the frame of the world to standard output; `auto` asks the environment. */
export function shownFrames(
  form: PictureForm | 'auto',
  { stdout, env }: Pick<Io, 'stdout' | 'env'>,
): (world: World) => Promise<void> {
  const asked = form === 'auto' ? formOfTerminal(env) : form;
  const used = asked === 'blocks' && stdout.columns < sideOf(asked) ? 'none' : asked;
  let before = '';
  return async (world) => {
    if (used === 'none') return;
    const side = sideOf(used);
    const text = await pictureText(renderFrame(world.visible(), { width: side, height: side }), used);
    if (text !== before) stdout.write(text);
    before = text;
  };
}
