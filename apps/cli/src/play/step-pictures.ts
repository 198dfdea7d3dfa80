/** `emac play --frames`: one PNG a step, `step-000.png` being what is seen after the reset. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Frame } from '@emac/core';
import { createFolder, whileWriting } from '@emac/files';
import { encodePng } from '@emac/images';

/** Saves what is seen; the folder is made. Errors: `cannot-create`, also where the file is there already. */
export async function savePicture(folder: string, step: number, frame: Frame): Promise<void> {
  const path = join(folder, `step-${String(step).padStart(3, '0')}.png`);
  const png = await encodePng(frame);
  createFolder(folder);
  whileWriting(path, () => writeFileSync(path, png, { flag: 'wx' }));
}
