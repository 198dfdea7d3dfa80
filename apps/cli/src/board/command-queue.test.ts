/** The queue's file as earlier boards and other programs may leave it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identityOf } from '@emac/runs';
import { afterAll, expect, it } from 'vitest';
import { heldProcess } from '../sweep/cell-process.ts';
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

function queueIn(name: string) {
  const place = join(folder, name, '.board');
  const options = { folder: join(folder, name), place, directory: folder, env: {}, every: 1e6 };
  return commandQueue({ ...options, now: () => new Date(0) });
}

/** A queue on a file with these items, and with what they printed. */
function opened(name: string, items: readonly object[], printed: Readonly<Record<string, string>> = {}) {
  const place = join(folder, name, '.board');
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, 'queue.json'), JSON.stringify(items));
  for (const [file, text] of Object.entries(printed)) writeFileSync(join(place, file), text);
  return queueIn(name);
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
    queue.begin();
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
  const queue = opened('many', items, { '52.log': 'of an old one', '53.log': 'of one that is kept' });
  queue.stop(100);
  expect(readdirSync(join(folder, 'many', '.board')).sort()).toEqual(['53.log', 'queue.json']);
  const ids = queue.list().map(({ id }) => id);
  // 151 less the 51 oldest of 60 that had ended
  expect(ids).toHaveLength(100);
  expect(ids).toContain(1);
  expect(ids).not.toContain(52);
  expect(ids).toContain(53);
  expect(queue.list().find(({ id }) => id === 100)).toMatchObject({ state: 'cancelled' });
  queue.close();
});

it('starts nothing before it is let begin: the port of its board may be taken', () => {
  const queue = opened('early', [item(1, 'waiting')]);
  expect(queue.add({ words: ['train'], text: 'npx emac train', run: null })).toMatchObject({
    state: 'waiting',
  });
  expect(queue.list().map(({ state }) => state)).toEqual(['waiting', 'waiting']);
  queue.close();
});

it('a command whose board was killed before it noted the process has done nothing', async () => {
  const output = join(folder, 'held.log');
  const { child } = heldProcess(['--version'], { output, env: process.env });
  child.stdin!.destroy();
  expect(await once(child, 'exit')).toEqual([75, null]);
  expect(readFileSync(output, 'utf8')).toBe('');
  const begun = heldProcess(['--version'], { output, env: process.env });
  begun.begin();
  expect(await once(begun.child, 'exit')).toEqual([0, null]);
  expect(readFileSync(output, 'utf8')).toMatch(/^\d+\.\d+\.\d+/);
}, 30_000);

it('says the last fault of what a command printed, from its end alone', () => {
  const printed = { '1.log': `emac: early\n${'a line\n'.repeat(20_000)}the last line\n` };
  const queue = opened('long', [item(1, 'running', { started: '2026-01-01T00:00:00.000Z' })], printed);
  queue.begin();
  expect(queue.list()).toMatchObject([{ state: 'failed', message: 'the last line' }]);
  queue.close();
});

it('asks a process once to stop, also after another board has asked', async () => {
  const heard = `process.on('SIGINT', () => process.stdout.write('asked\\n')); process.stdin.on('end', () => process.exit()).resume(); process.stdout.write('ready\\n')`;
  const child = spawn(process.execPath, ['-e', heard]);
  const said: string[] = [];
  child.stdout.setEncoding('utf8').on('data', (text: string) => said.push(text));
  await once(child.stdout, 'data');
  const more = { started: '2026-01-01T00:00:00.000Z', process: identityOf(child.pid!) };
  const first = opened('asked', [item(1, 'running', more)]);
  first.stop(1);
  await once(child.stdout, 'data');
  first.stop(1);
  first.close();
  const later = queueIn('asked');
  later.stop(1);
  later.close();
  child.stdin.end();
  await once(child, 'close');
  expect(said.join('')).toBe('ready\nasked\n');
});
