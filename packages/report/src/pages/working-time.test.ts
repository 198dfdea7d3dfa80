import { expect, it } from 'vitest';
import { workingSeconds } from './working-time.ts';

const at = (seconds: number, kind: string, others: object = {}) => ({
  time: new Date(1000 * seconds).toISOString(),
  kind,
  ...others,
});
const began = at(100, 'running', { pid: 1 });
const lines = (seconds: number, count: number) => at(seconds, 'metrics', { lines: count });

it('gives each line of metrics its time since the run began, between two events in equal parts', () => {
  const events = [began, lines(110, 1), at(111, 'checkpoint', { step: 4 }), lines(114, 3), lines(115, 4)];
  expect(workingSeconds(events, 4)).toEqual([10, 12, 14, 15]);
  // a line that has just been written
  expect(workingSeconds(events, 5)).toEqual([10, 12, 14, 15, 15]);
});

it('counts neither a pause nor what was done twice', () => {
  const events = [
    began,
    lines(110, 1),
    at(120, 'checkpoint', { step: 4 }),
    lines(130, 2),
    lines(140, 3),
    // killed, and resumed a day later from the checkpoint, which had one line
    at(86_500, 'running', { from: 4 }),
    lines(86_505, 2),
    lines(86_515, 3),
  ];
  expect(workingSeconds(events, 3)).toEqual([10, 25, 35]);
  // without a checkpoint it began anew
  expect(workingSeconds([began, lines(110, 1), at(500, 'running'), lines(503, 1)], 1)).toEqual([3]);
});

it('knows nothing of a run whose events do not count lines, and survives a clock that was set back', () => {
  expect(workingSeconds([began, at(120, 'checkpoint', { step: 1 })], 2)).toBeNull();
  expect(workingSeconds([began, lines(110, 1), lines(90, 2), lines(112, 3)], 3)).toEqual([10, 11, 12]);
});
