import { afterEach, beforeEach, expect, vi } from 'vitest';

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
