import { zipSync } from 'fflate';
import { expect, it } from 'vitest';
import { bringsCode, filesOf } from './archives.ts';

const archive = (...names: string[]) =>
  new File(
    [zipSync(Object.fromEntries(names.map((name) => [name, new Uint8Array(1)]))) as Uint8Array<ArrayBuffer>],
    'run.zip',
  );

it.each([
  'run/my-environment.mjs',
  'run/my-environment.mjs/.',
  'run/./my-environment.mjs',
  'run/other/../my-environment.mjs',
  'run/.\\my-environment.mjs',
  'run\\my-environment.mjs',
])('a run brings code by the name %j', async (name) => {
  const files = await filesOf([archive('run/run.json', name)]);
  expect(files.map(({ path }) => path)).toEqual(['run/run.json', 'run/my-environment.mjs']);
  expect(bringsCode(files)).toBe(true);
});

it('names that lead out of an archive are left out, and other files are no code', async () => {
  const files = await filesOf([archive('../run.json', 'run/run.json', 'run/not-my-environment.mjs')]);
  expect(files.map(({ path }) => path)).toEqual(['run/run.json', 'run/not-my-environment.mjs']);
  expect(bringsCode(files)).toBe(false);
});
