/** The queue's file as earlier boards and other programs may leave it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identityOf } from '@emac/runs';
import { afterAll, expect, it } from 'vitest';
import { commandQueue } from './command-queue.ts';

const folder = mkdtempSync(join(tmpdir(), 'queue-'));
afterAll(() => rmSync(folder, { recursive: true }));

const item = (id: number, state: string, more: object = {}) => ({
  id,
  words: ['train'],
  command: 'npx emac train',
  state,
  run: null,
  process: null,
  asked: '2026-01-01T00:00:00.000Z',
  started: null,
  ended: null,
  message: null,
  ...more,
});

/** A queue on a file with these items. */
function opened(name: string, items: readonly object[]) {
  const place = join(folder, name, '.board');
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, 'queue.json'), JSON.stringify(items));
  return commandQueue({ folder: join(folder, name), place, env: {}, now: () => new Date(0), every: 1e6 });
}

it('takes what ran without a process, or in a run whose folder is gone, as failed', () => {
  const started = '2026-01-01T00:00:00.000Z';
  // no process of this machine has had this start
  const gone = { ...identityOf(process.pid), start: '-1' };
  for (const [name, more] of [
    ['without-process', { process: null }],
    ['without-folder', { process: gone, run: 'deleted' }],
  ] as const) {
    const queue = opened(name, [item(1, 'running', { started, ...more })]);
    expect(queue.list()).toMatchObject([{ id: 1, state: 'failed' }]);
    queue.close();
  }
});

it('cancels what waits, forgets the oldest that have ended, and never what runs or waits', () => {
  const own = identityOf(process.pid);
  const items = [
    item(1, 'running', { started: '2026-01-01T00:00:00.000Z', process: own }),
    ...Array.from({ length: 150 }, (_, place) => item(place + 2, place < 60 ? 'done' : 'waiting')),
  ];
  const queue = opened('many', items);
  queue.stop(100);
  const ids = queue.list().map(({ id }) => id);
  // 151 less the 51 oldest of 60 that had ended
  expect(ids).toHaveLength(100);
  expect(ids).toContain(1);
  expect(ids).not.toContain(52);
  expect(ids).toContain(53);
  expect(queue.list().find(({ id }) => id === 100)).toMatchObject({ state: 'cancelled' });
  queue.close();
});
