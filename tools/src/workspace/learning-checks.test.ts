import { describe, expect, it } from 'vitest';
import { learningChecks, type MetricsLine } from './learning-checks.ts';

const probe = (loss?: number): MetricsLine => ({ kind: 'probe', phase: 'bc', loss });
const update = (chosen?: number, rejected?: number): MetricsLine => ({
  kind: 'update',
  phase: 'dpo',
  w_reward: chosen,
  l_reward: rejected,
});
const holds = (lines: readonly MetricsLine[]) => learningChecks(lines).map((check) => check.holds);

describe('an imitation run', () => {
  it('holds if the last probe is below the first, whatever is in between', () => {
    expect(holds([probe(0.3), probe(0.9), probe(0.2)])).toEqual([true]);
  });

  it.each([
    ['the loss grew', [probe(0.3), probe(0.1), probe(0.4)]],
    ['the loss did not move', [probe(0.3), probe(0.3)]],
    ['there is one probe', [probe(0.3)]],
    ['the last probe has no loss', [probe(0.3), probe()]],
  ])('fails if %s', (_case, lines) => {
    expect(holds(lines)).toEqual([false]);
  });

  it('reads no loss of updates', () => {
    expect(holds([probe(0.3), probe(0.2), { kind: 'update', phase: 'bc', loss: 5 }])).toEqual([true]);
  });
});

describe('a preference run', () => {
  it('holds if it starts at the reference and its last quarter prefers the chosen on average', () => {
    // five updates: the last two count, (−0.1 − 0) + (0.3 − 0.1) = 0.1; the third's −8 does not
    expect(
      holds([update(1e-7, -1e-6), update(0, 0), update(-8, 0), update(-0.1, 0), update(0.3, 0.1)]),
    ).toEqual([true, true]);
  });

  it('fails if either reward of the first update is above rounding noise', () => {
    expect(holds([update(2e-6, 0), update(1, 0)])).toEqual([false, true]);
    expect(holds([update(0, -2e-6), update(1, 0)])).toEqual([false, true]);
  });

  it('fails if the last quarter prefers the rejected', () => {
    expect(holds([update(0, 0), update(1, 0), update(1, 0), update(0.1, 0.2)])).toEqual([true, false]);
  });

  it('fails without updates or rewards', () => {
    expect(holds([{ kind: 'probe', phase: 'dpo', w_reward: 0, l_reward: 0 }])).toEqual([false]);
    expect(holds([update(), update()])).toEqual([false, false]);
  });
});

it('refuses lines of no known phase', () => {
  expect(() => learningChecks([])).toThrow('not bc or dpo');
});
