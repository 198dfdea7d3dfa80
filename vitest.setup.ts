import { afterEach, beforeEach, expect, vi } from 'vitest';

// FAST_CHECK_RUNS=20: every property is tried on 20 times as many inputs (npm run check:long)
const times = Number(process.env['FAST_CHECK_RUNS'] ?? 1);
if (!Number.isInteger(times) || times < 1)
  throw new Error(`FAST_CHECK_RUNS: must be a whole number from 1, got ${process.env['FAST_CHECK_RUNS']}`);
if (times > 1)
  vi.doMock('fast-check', async (importOriginal) => {
    const original = await importOriginal<typeof import('fast-check')>();
    const assert: typeof original.assert = (property, { numRuns = 100, ...others } = {}) =>
      original.assert(property, { ...others, numRuns: numRuns * times });
    return { ...original, default: { ...original.default, assert }, assert };
  });

// Packages neither print nor exit: a test during which anything reaches the console fails.
const methods = ['log', 'info', 'warn', 'error'] as const;
let spies: { mock: { calls: unknown[][] }; mockRestore(): void }[] = [];

beforeEach(() => {
  spies = methods.map((method) => vi.spyOn(console, method).mockImplementation(() => {}));
});

afterEach(() => {
  const printed = spies.flatMap((spy) => spy.mock.calls);
  for (const spy of spies) spy.mockRestore();
  expect(printed, 'packages never print').toEqual([]);
});
