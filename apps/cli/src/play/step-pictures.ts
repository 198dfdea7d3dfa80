/** `emac play --frames`: one PNG a step, `step-000.png` being what is seen after the reset. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createFolder, whileWriting } from '@emac/files';
import { encodePng } from '@emac/images';
import { renderFrame, type World } from '@emac/world';

/** Saves what the agent faces, 300 × 300 pixels; the folder is made. Errors: `cannot-create`, also where the file is there already. */
export async function savePicture(folder: string, step: number, world: World): Promise<void> {
  const path = join(folder, `step-${String(step).padStart(3, '0')}.png`);
  const png = await encodePng(renderFrame(world.visible(), { width: 300, height: 300 }));
  createFolder(folder);
  whileWriting(path, () => writeFileSync(path, png, { flag: 'wx' }));
}
