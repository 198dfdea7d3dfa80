/** The folder of a cell holds one run, under the run's own name. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isThere, whileReading } from '@emac/files';
import { layout } from '@emac/runs';

/** The one run in a cell's folder; null before it begins. */
export function runOfCell(folder: string): string | null {
  if (!isThere(folder)) return null;
  const names = whileReading(folder, () => readdirSync(folder)).sort();
  const run = names.find((name) => !name.startsWith('.') && isThere(join(folder, name, layout.run)));
  return run === undefined ? null : join(folder, run);
}
