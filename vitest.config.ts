import { defineConfig } from 'vitest/config';

// only for what hangs: a slow machine beside other work must not decide a test;
// FAST_CHECK_RUNS makes properties take longer, see vitest.setup.ts
const timeout = 300_000 * Number(process.env['FAST_CHECK_RUNS'] ?? 1);

// One configuration for every package: `vitest run --config ../../vitest.config.ts` inside a package
// finds that package's tests and reads sibling packages from their sources.
export default defineConfig({
  root: process.cwd(),
  resolve: { conditions: ['@emac/source'] },
  ssr: { resolve: { conditions: ['@emac/source'] } },
  test: {
    include: ['src/**/*.test.ts'],
    setupFiles: [new URL('./vitest.setup.ts', import.meta.url).pathname],
    testTimeout: timeout,
    hookTimeout: 300_000,
    passWithNoTests: true,
    maxWorkers: 2,
    // files of a worker share their modules: reading them anew for every file took a third of the time
    isolate: false,
  },
});
