import { readdirSync } from 'node:fs';
import { expect, it, vi } from 'vitest';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { duplicateFinder } from './duplicates.ts';

it('finds equal texts among more than memory keeps, and leaves no file', () => {
  const folder = temporaryFolder();
  vi.stubEnv('TMPDIR', folder);
  const finder = duplicateFinder(4);
  // about 12 for each of the 256 parts, of which 4 stay in memory
  for (let number = 0; number < 3_000; number++) finder.add(String(number % 2_900), number);
  expect(finder.found(3)).toEqual({ count: 100, first: [2_900, 2_901, 2_902] });
  finder.close();
  expect(readdirSync(folder)).toEqual([]);
  vi.unstubAllEnvs();
});
