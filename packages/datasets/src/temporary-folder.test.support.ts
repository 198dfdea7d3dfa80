/** A folder that is removed after the tests of a file. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'emac-datasets-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
