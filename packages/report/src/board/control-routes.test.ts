import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EmacError } from '@emac/core';
import type { QueuedCommand } from '@emac/pages';
import { createRun, type Run } from '@emac/runs';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Control } from './control.ts';
import { serveBoard, type ServedBoard } from './serve.ts';

const folder = mkdtempSync(join(tmpdir(), 'control-'));
const now = () => new Date(0);
const token = 'a token of this test';
const queued: QueuedCommand = {
  id: 1,
  command: 'npx emac train',
  state: 'waiting',
  run: null,
  asked: '',
  started: null,
  ended: null,
  message: null,
};
let recorded: string[] = [];
let started = 0;
const control: Control = {
  token,
  form: () => Promise.reject(new EmacError('usage', '--method: must be bc')),
  preview: () => Promise.resolve({ command: 'npx emac train', refusal: null }),
  start: () => Promise.resolve((started++, queued)),
  commands: () => [queued],
  stopCommand: () => undefined,
  stopRun: () => undefined,
  version: 0,
  record: (action) => void recorded.push(action),
};
let run: Run;
let served: ServedBoard;
let shows: ServedBoard;
beforeAll(async () => {
  run = createRun({ out: folder, phase: 'bc', seed: 0, config: {}, versions: {}, now });
  served = await serveBoard({ folder, port: 0, now, control });
  shows = await serveBoard({ folder, port: 0, now });
});
afterAll(async () => {
  await Promise.all([served.close(), shows.close()]);
  run.finish();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  recorded = [];
  started = 0;
});

type Headers = Readonly<Record<string, string>>;
const right = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };

/** As any program can ask: `fetch` would not send every header. */
function posted(path: string, headers: Headers, body: string): Promise<number> {
  const { port } = new URL(served.address);
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, method: 'POST', headers });
    asked.on('response', (reply) => resolve(reply.resume().statusCode!)).on('error', reject);
    asked.end(body);
  });
}
const start = (headers: Headers, body = '{}') => posted('/api/commands', headers, body);
const own = () => served.address.slice(0, -1);

describe('a board that allows changes', () => {
  it('starts for its own page and for a program, with the token', async () => {
    expect(await start(right)).toBe(200);
    expect(await start({ ...right, origin: own(), 'sec-fetch-site': 'same-origin' })).toBe(200);
    expect(started).toBe(2);
    expect(recorded).toEqual(['start', 'start']);
  });

  it.each<[string, number, () => Headers]>([
    ['without a token', 401, () => ({ 'content-type': 'application/json' })],
    ['with another token', 401, () => ({ ...right, authorization: `Bearer ${token.slice(0, -1)}x` })],
    [
      'with the token as a cookie',
      401,
      () => ({ cookie: `token=${token}`, 'content-type': 'application/json' }),
    ],
    ['from a page of another origin', 403, () => ({ ...right, origin: 'https://elsewhere.example' })],
    ['from a page of another port', 403, () => ({ ...right, origin: 'http://127.0.0.1:1' })],
    ['from a page without an origin', 403, () => ({ ...right, origin: 'null' })],
    ['from another site', 403, () => ({ ...right, 'sec-fetch-site': 'cross-site' })],
    ['from another port of this machine', 403, () => ({ ...right, 'sec-fetch-site': 'same-site' })],
    ['for a name that was pointed here', 421, () => ({ ...right, host: 'elsewhere.example' })],
    [
      'for such a name as origin and host',
      421,
      () => ({ ...right, host: 'e.example', origin: 'http://e.example' }),
    ],
    ['as a form', 415, () => ({ ...right, 'content-type': 'text/plain' })],
  ])('refuses to start %s', async (_what, status, headers) => {
    expect(await start(headers())).toBe(status);
    expect(started).toBe(0);
    // another host name is refused before anything is looked at
    expect(recorded).toEqual(status === 421 ? [] : ['refused']);
  });

  it('refuses long bodies and what is no JSON', async () => {
    expect(await start(right, `"${'x'.repeat(65 << 10)}"`)).toBe(413);
    expect(await start({ ...right, 'transfer-encoding': 'chunked' }, `"${'x'.repeat(65 << 10)}"`)).toBe(413);
    expect(await start(right, '{')).toBe(422);
    expect(started).toBe(0);
  });

  it('allows no other origin to read', async () => {
    const reply = await fetch(`${own()}/api/commands`, { headers: { origin: 'https://elsewhere.example' } });
    expect(reply.headers.get('access-control-allow-origin')).toBe(null);
  });

  it('writes notes into the folder of a run alone', async () => {
    const name = run.folder.split('/').at(-1)!;
    const note = (place: string, body: string) => posted(`/api/runs/${place}/notes`, right, body);
    expect(await note(name, '{"note":"<b>slow</b>"}')).toBe(200);
    expect(JSON.parse(readFileSync(join(run.folder, 'notes.json'), 'utf8'))).toEqual({
      isStarred: false,
      note: '<b>slow</b>',
      title: null,
    });
    expect(await note(name, '{"path":"x"}')).toBe(422);
    expect(await note('..%2f..%2ftmp', '{"note":"x"}')).toBe(404);
    expect(await note(`${name}%2fcheckpoints`, '{"note":"x"}')).toBe(404);
  });

  it('answers a fault with its words', async () => {
    const reply = await fetch(`${own()}/api/settings?method=x`);
    expect([reply.status, await reply.json()]).toEqual([
      422,
      { code: 'usage', error: '--method: must be bc' },
    ]);
  });
});

it('a board that only shows has nothing to change with', async () => {
  expect(await (await fetch(`${shows.address}api/board`)).json()).toEqual({
    canChange: false,
    folder,
    pass: null,
  });
  const name = run.folder.split('/').at(-1)!;
  for (const path of [
    'commands',
    'commands/preview',
    'commands/1/stop',
    `runs/${name}/stop`,
    `runs/${name}/notes`,
  ]) {
    const reply = await fetch(`${shows.address}api/${path}`, { method: 'POST', headers: right, body: '{}' });
    expect(reply.status).toBe(403);
  }
  expect((await fetch(`${shows.address}api/commands`)).status).toBe(404);
});
