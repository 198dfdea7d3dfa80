/**
 * Bundles a program of Node's for a tab: Node's modules become those of a tab, what only Node runs becomes absent, and modules keep
 * addresses of files, which lie on the tab's disk.
 */
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'rolldown';

const root = fileURLToPath(new URL('../../../../', import.meta.url));
const shims = join(root, 'apps/web/src/node');

/** Where the repository lies on the tab's disk. */
export const home = '/emac/';

const nodeModule = new RegExp(
  '^(?:node:)?(assert|async_hooks|buffer|child_process|crypto|dns|events|fs|fs/promises|http|http2|https|module|net|os|path|process|' +
    'readline|stream|stream/promises|timers/promises|tls|tty|url|util|worker_threads|zlib)$',
);

/** Servers, processes, queues, downloads and native code. */
const nodeOnly =
  /^(@hono\/node-server|@huggingface\/(gguf|hub)|@modelcontextprotocol\/sdk\/.*|bullmq|cross-spawn|hono|hono\/.*|hyparquet|hyparquet-compressors|ioredis|openai|sharp|tar|undici|ws|yauzl)$/;

const absent = '\0absent';

/** `constants`: texts of modules in place of their files, by path from the repository. */
export function tabPlugin(constants: Readonly<Record<string, string>>): Plugin {
  return {
    name: 'tab',
    resolveId(id) {
      const [, name] = nodeModule.exec(id) ?? [];
      if (name === undefined) return nodeOnly.test(id) ? absent : null;
      const shim = join(shims, `node-${name.replace('/', '-')}.ts`);
      return existsSync(shim) ? shim : absent;
    },
    load(id) {
      return id === absent ? 'export default undefined;' : (constants[relative(root, id)] ?? null);
    },
    transform(code, id) {
      if (!code.includes('import.meta.url') || id.includes('node_modules')) return null;
      return code.replaceAll('import.meta.url', JSON.stringify(`file://${home}${relative(root, id)}`));
    },
  };
}
