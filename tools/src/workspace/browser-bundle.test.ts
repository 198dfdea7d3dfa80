import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { browserBundle } from './browser-bundle.ts';

const packages = fileURLToPath(new URL('../../../packages', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'browser-bundle-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Kilobytes after minification, before compression, with third-party code, without TensorFlow.js and WebAssembly files. */
const most: Readonly<Record<string, number>> = {
  core: 13,
  losses: 15,
  optim: 10,
  rollout: 55,
  algorithms: 250,
  prompt: 40,
  postprocess: 15,
  world: 220,
  minigrid: 55,
  'gym-cards': 50,
  graph: 320,
  backbone: 700,
  model: 800,
  'small-networks': 380,
  buffers: 90,
  files: 110,
};

it.each(Object.entries(most))(
  'bundles %s for a browser, without Node, in at most %i KB',
  async (name, kilobytes) => {
    const { bytes, left } = await browserBundle(packages, name);
    expect(left).toEqual([]);
    expect(bytes).toBeLessThan(kilobytes * 1000);
  },
);

it('names what is left of Node, and where', async () => {
  mkdirSync(join(folder, 'packages/small/src'), { recursive: true });
  writeFileSync(
    join(folder, 'packages/small/src/index.ts'),
    "import { hostname } from 'node:os';\nexport const place = hostname();\n",
  );
  expect((await browserBundle(join(folder, 'packages'), 'small')).left).toEqual([
    'node:os in packages/small/src/index.ts',
  ]);
});
