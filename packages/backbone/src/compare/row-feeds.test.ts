import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect, it, onTestFinished } from 'vitest';

import { compareFolder } from './compare.ts';

it('a comparison over more positions than the model has is refused with both numbers', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'emac-positions-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  cpSync(fileURLToPath(new URL('../../fixtures/text/qwen2', import.meta.url)), folder, { recursive: true });
  const file = join(folder, 'config.json');
  const config = JSON.parse(readFileSync(file, 'utf8')) as object;
  writeFileSync(file, JSON.stringify({ ...config, max_position_embeddings: 4 }));
  await expect(compareFolder(folder, { threads: 1, generations: () => false })).rejects.toThrow(
    /a row of the comparison must end before position 4 \(max_position_embeddings\), ends at \d+; shorten its text/,
  );
});
