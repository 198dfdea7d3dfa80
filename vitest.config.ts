import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const root = fileURLToPath(new URL('.', import.meta.url));

// only for what hangs: a slow machine beside other work must not decide a test;
// FAST_CHECK_RUNS makes properties take longer, see vitest.setup.ts
const timeout = 300_000 * Number(process.env['FAST_CHECK_RUNS'] ?? 1);

// tests write many small files and sync each: in memory that costs nothing, where there is room for all of them
const memory = '/dev/shm';
function hasRoom(): boolean {
  if (!existsSync(memory)) return false;
  const { bavail, bsize } = statfsSync(memory);
  return bavail * bsize > 8 * 2 ** 30;
}
if (process.env['TMPDIR'] === undefined && hasRoom()) process.env['TMPDIR'] = memory;

// where an import of a sibling leads to depends on these
const packages = readdirSync(join(root, 'packages'))
  .map((name) => join(root, 'packages', name, 'package.json'))
  .filter(existsSync);
const exported = createHash('sha256');
for (const path of packages) exported.update(path).update(readFileSync(path));

// where tests open whole models; those of `model` itself count sessions and threads
const { dependencies = {} } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly dependencies?: Readonly<Record<string, string>>;
};
const opensModels = ['@emac/model', '@emac/experiment'].some((name) => name in dependencies);

// One configuration for every package: `vitest run --config ../../vitest.config.ts` inside a package
// finds that package's tests and reads sibling packages from their sources.
export default defineConfig({
  // the same for all, so that a source is compiled once and not again for every package that uses it
  root,
  resolve: { conditions: ['@emac/source'] },
  ssr: { resolve: { conditions: ['@emac/source'] } },
  test: {
    dir: process.cwd(),
    include: ['src/**/*.test.ts'],
    setupFiles: ['vitest.setup.ts', ...(opensModels ? ['vitest.sessions.ts'] : [])].map((name) =>
      join(root, name),
    ),
    testTimeout: timeout,
    hookTimeout: 300_000,
    passWithNoTests: true,
    maxWorkers: 2,
    // files of a worker share their modules: reading them anew for every file took a third of the time
    isolate: false,
    experimental: {
      fsModuleCache: true,
      fsModuleCachePath: join(root, 'node_modules', '.cache', 'vitest', exported.digest('hex').slice(0, 16)),
    },
  },
});
