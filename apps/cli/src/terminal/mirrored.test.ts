/** Trackers that fail, close late, or receive events afterwards. */
import type { Listener } from '@emac/opening';
import type { Tracker } from '@emac/report';
import { beforeEach, expect, it } from 'vitest';
import { mirrored } from './mirrored.ts';

const update = { kind: 'update', line: { kind: 'update', update: 1, loss: 1 } } as never;
const warnings: string[] = [];
const listener: Listener = { warning: (line) => void warnings.push(line) };
let told: string[] = [];
beforeEach(() => {
  warnings.length = 0;
  told = [];
});

/** Notes its calls; the test decides about `close`. */
const noting = (run: string, close: () => Promise<void>): Tracker => ({
  metrics: () => void told.push(`${run} metrics`),
  text: () => void told.push(`${run} text`),
  close: () => {
    told.push(`${run} close`);
    return close();
  },
});

it('a late, failing close does not disturb the next run’s tracker', async () => {
  let refuse = (_thrown: Error): void => {};
  const late = new Promise<void>((_resolve, reject) => (refuse = reject));
  const closings: Record<string, () => Promise<void>> = { a: () => late, b: () => Promise.resolve() };
  const { listener: mirror, close } = mirrored(listener, {
    name: 'x',
    open: (run) => noting(run, closings[run]!),
  });
  mirror.run!('a');
  mirror.run!('b');
  mirror.training!(update);
  refuse(new Error('disk full'));
  // the error arrives after the waiting microtasks
  await late.catch(() => {});
  mirror.training!(update);
  await close();
  expect(warnings).toEqual(['x: disk full; the run continues without it']);
  expect(told.filter((each) => each !== 'a close')).toEqual(['b metrics', 'b metrics', 'b close']);
});

it('an error in close is reported, and rejects nothing', async () => {
  const bad = (): Promise<void> => {
    throw new Error('bad file');
  };
  const { listener: mirror, close } = mirrored(listener, { name: 'x', open: (run) => noting(run, bad) });
  mirror.run!('a');
  mirror.run!('b');
  await close();
  expect(warnings).toEqual(Array(2).fill('x: bad file; the run continues without it'));
});

it('every close waits for the same end, and nothing is reported or opened after it', async () => {
  let end = (): void => {};
  const ending = new Promise<void>((resolve) => (end = resolve));
  const { listener: mirror, close } = mirrored(listener, {
    name: 'x',
    open: (run) => noting(run, () => ending),
  });
  mirror.run!('a');
  let closed = 0;
  const both = [close(), close()].map((each) => each.then(() => closed++));
  mirror.training!(update);
  mirror.run!('b');
  mirror.training!(update);
  // several turns of the queue of microtasks
  for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  expect(closed).toBe(0);
  end();
  await Promise.all(both);
  expect([closed, told]).toEqual([2, ['a close']]);
});

it('a failing tracker is closed, reported once and called no more', async () => {
  const failing = (run: string): Tracker => ({
    ...noting(run, () => Promise.reject(new Error('closing failed too'))),
    metrics: () => {
      throw new Error('disk full');
    },
  });
  const { listener: mirror, close } = mirrored(listener, { name: 'x', open: failing });
  mirror.run!('a');
  mirror.training!(update);
  mirror.training!(update);
  await close();
  expect(warnings).toEqual(['x: disk full; the run continues without it']);
  expect(told).toEqual(['a close']);
});
