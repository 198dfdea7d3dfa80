/** The site as one folder: pages, the trainer's code, WebAssembly, and the files that the trainer finds on the tab's disk. */
import { copyFileSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createFolder, sha256 } from '@emac/files';
import { programVersions, shippedModelFolder } from '@emac/settings';
import { rolldown } from 'rolldown';
import { siteCatalogue, siteModels } from './site-catalogue.ts';
import type { DiskFiles } from '../tab/files.ts';
import { tabPlugin } from './tab-plugin.ts';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const sources = join(root, 'apps/web/src');
const require = createRequire(import.meta.url);

/** A file of the site. */
export interface SiteFile {
  readonly path: string;
  readonly bytes: number;
  /** most visitors never load it: it computes on a GPU, or is a further model */
  readonly isLater: boolean;
}

/** Writes the site into `folder`, which is emptied first, and lists its files. Errors: those of the bundler. */
export async function buildSite(folder: string): Promise<SiteFile[]> {
  rmSync(folder, { recursive: true, force: true });
  createFolder(folder);
  const constants = {
    'packages/settings/src/code-hash.ts': `export const codeHash = () => ${JSON.stringify(programVersions().code)};`,
    'apps/web/src/page/shipped-catalogue.ts': `export const catalogue = ${JSON.stringify(siteCatalogue())};`,
  };
  for (const name of ['page/page.tsx', 'tab/trainer.ts']) await bundle(name, folder, constants);
  const assets = [
    ...wasmOf('onnxruntime-web/wasm', /^ort-wasm-simd-threaded(\.jspi)?\.(wasm|mjs)$/),
    ...wasmOf('@tensorflow/tfjs-backend-wasm', /wasm(-simd)?\.wasm$/),
    ...['index.html', 'icon.svg', 'manifest.webmanifest'].map((name) => join(sources, 'page', name)),
  ];
  for (const path of assets) copyFileSync(path, join(folder, path.slice(path.lastIndexOf('/') + 1)));
  const styles = [
    join(dirname(require.resolve('uplot/package.json')), 'dist/uPlot.min.css'),
    join(root, 'packages/pages/src/style.css'),
    join(root, 'packages/pages/src/played/played.css'),
    join(sources, 'page/site.css'),
  ];
  writeFileSync(join(folder, 'style.css'), styles.map((path) => readFileSync(path, 'utf8')).join(''));
  writeFileSync(join(folder, 'disk.json'), JSON.stringify(diskFiles(folder)));
  await bundle('offline/service-worker.ts', folder, {
    'apps/web/src/offline/shipped-files.ts': shippedFiles(folder),
  });
  return filesBelow(folder).map((path) => {
    const name = relative(folder, path);
    return { path: name, bytes: sizeOf(path), isLater: loadedLater.test(name) };
  });
}

/** What the trainer finds on the tab's disk: at its start, and with each further model once a run has it. */
function diskFiles(folder: string): DiskFiles {
  const copied = (paths: readonly string[]): string[] => {
    for (const path of paths) copyInto(folder, path);
    return paths.map((path) => relative(root, path));
  };
  const filesOf = (model: string) => filesBelow(shippedModelFolder(model)!);
  const [first, ...others] = siteModels;
  return {
    atStart: copied([...filesOf(first!), join(root, 'packages/settings/package.json')]),
    models: Object.fromEntries(others.map((model) => [model, copied(filesOf(model))])),
  };
}

const loadedLater = /^(disk\/packages\/tiny-models\/|ort-wasm-simd-threaded\.jspi\.|ort\.jspi)/;

/** The folder's files with their hashes, those that are loaded later, and a hash of all. */
function shippedFiles(folder: string): string {
  const paths = filesBelow(folder).map((path) => relative(folder, path));
  const hashes = paths.sort().map((path) => [path, sha256(readFileSync(join(folder, path)))] as const);
  const constants = {
    files: Object.fromEntries(hashes),
    later: paths.filter((path) => loadedLater.test(path)),
    version: sha256(JSON.stringify(hashes)),
  };
  return Object.entries(constants)
    .map(([name, value]) => `export const ${name} = ${JSON.stringify(value)};`)
    .join('');
}

/** `constants`: as `tabPlugin` has them. */
async function bundle(
  source: string,
  folder: string,
  constants: Readonly<Record<string, string>>,
): Promise<void> {
  const bundled = await rolldown({
    input: join(sources, source),
    platform: 'browser',
    resolve: { conditionNames: ['@emac/source', 'browser', 'import', 'default'] },
    transform: { jsx: { runtime: 'automatic', importSource: 'preact' } },
    // what absent modules would export
    shimMissingExports: true,
    plugins: [tabPlugin(constants)],
    onLog: () => {},
  });
  await bundled.write({ dir: folder, format: 'esm', minify: true, entryFileNames: '[name].js' });
  await bundled.close();
}

/** Files that a package brings beside its module. */
function wasmOf(module: string, names: RegExp): string[] {
  const folder = dirname(require.resolve(module));
  return readdirSync(folder)
    .filter((name) => names.test(name))
    .map((name) => join(folder, name));
}

/** To the same place below `folder` as below the repository. */
function copyInto(folder: string, path: string): void {
  const to = join(folder, 'disk', relative(root, path));
  createFolder(dirname(to));
  copyFileSync(path, to);
}

function filesBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}

function sizeOf(path: string): number {
  return statSync(path).size;
}
