/** `emac play --frames`: one PNG a step; `step-000.png` shows the state after the reset. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Frame } from '@emac/core';
import { createFolder, whileWriting } from '@emac/files';
import { encodePng } from '@emac/images';

/** Saves frames into a folder made here. Errors: `cannot-create`, also for an existing file. */
export async function savePicture(folder: string, step: number, frame: Frame): Promise<void> {
  const path = join(folder, `step-${String(step).padStart(3, '0')}.png`);
  const png = await encodePng(frame);
  createFolder(folder);
  whileWriting(path, () => writeFileSync(path, png, { flag: 'wx' }));
}
