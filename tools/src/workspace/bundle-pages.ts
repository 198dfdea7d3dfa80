/** Bundles the scripts and the style of `packages/pages`, as compiled, into its folder `bundles`. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { createFolder } from '@emac/files';
import { rolldown } from 'rolldown';
import { root } from './root.ts';

const pages = `${root}packages/pages/`;
const out = `${pages}bundles/`;
const uplot = createRequire(`${pages}package.json`).resolve('uplot/dist/uPlot.min.css');

rmSync(out, { recursive: true, force: true });
createFolder(out);
for (const name of ['board', 'game', 'teach']) {
  const bundled = await rolldown({ input: `${pages}dist/${name}/${name}.js`, platform: 'browser' });
  await bundled.write({ dir: out, format: 'iife', minify: true, entryFileNames: '[name].js' });
  await bundled.close();
}
const own = ['style', 'played/played', 'start/start'].map((name) => `${pages}src/${name}.css`);
writeFileSync(`${out}style.css`, [uplot, ...own].map((path) => readFileSync(path, 'utf8')).join('\n'));
