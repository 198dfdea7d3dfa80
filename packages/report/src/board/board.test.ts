import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'node:http';
import { createRun, type Run } from '@emac/runs';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { tablesPage } from '../pages/report.ts';
import { board } from './board.ts';
import { serveBoard, type ServedBoard } from './serve.ts';

const folder = mkdtempSync(join(tmpdir(), 'board-'));
const now = () => new Date(0);
const hostile = '<img src=x onerror=alert(1)>';
let run: Run;
let served: ServedBoard;

beforeAll(async () => {
  run = createRun({ out: folder, phase: 'bc', seed: 0, config: { seed: 0 }, versions: {}, now });
  run.metrics({ v: 1, kind: 'update', update: 0, loss: 0.5 });
  run.metrics({ v: 1, kind: 'update', update: 1, loss: 0.25 });
  run.transcript(0, [
    {
      kind: 'episode-start',
      episode: 0,
      round: 0,
      taskId: 'heat-1',
      observation: `Your task is to: ${hostile}`,
    },
    {
      kind: 'step',
      episode: 0,
      command: 'look',
      own: 'look',
      label: 'go',
      observation: hostile,
      frame: 'ab.png',
    },
    { kind: 'episode-end', episode: 0, won: false },
  ]);
  run.event({
    kind: 'episode-end',
    episode: 0,
    round: 0,
    taskId: 'heat-1',
    won: false,
    expertWon: false,
    steps: 1,
  });
  mkdirSync(join(run.folder, 'frames'), { recursive: true });
  writeFileSync(join(run.folder, 'frames', 'ab.png'), 'picture');
  writeFileSync(join(folder, 'secret.png'), 'secret');
  served = await serveBoard({ folder, port: 0, now, every: 10 });
});
afterAll(async () => {
  await served.close();
  run.finish();
  rmSync(folder, { recursive: true });
});

const at = (path: string) => `${served.address}${path}`;
const runAddress = () => `run/${run.folder.split('/').at(-1)!}`;

async function got(path: string): Promise<{ status: number; text: string }> {
  const reply = await fetch(at(path));
  return { status: reply.status, text: await reply.text() };
}

describe('the board', () => {
  it('sends one page for all, its script and its style, and allows nothing from elsewhere', async () => {
    const reply = await fetch(at(runAddress()));
    expect(reply.headers.get('content-security-policy')).toBe("default-src 'self'; img-src 'self' data:");
    const page = await reply.text();
    for (const path of ['', 'compare', 'run/other'])
      expect(await got(path)).toEqual({ status: 200, text: page });
    for (const [, path] of page.matchAll(/(?:href|src)="\/([^"]+)"/g))
      expect((await got(path!)).status).toBe(200);
    expect((await got('other')).status).toBe(404);
  });

  it('answers with JSON', async () => {
    const name = run.folder.split('/').at(-1)!;
    const json = async (path: string) => (await (await fetch(at(path))).json()) as Record<string, unknown>;
    expect(await json('api/runs')).toMatchObject({
      runs: [{ name, updates: 2, state: 'running' }],
      unread: 0,
    });
    expect(await json('api/runs?name=other')).toMatchObject({ runs: [] });
    expect(await json(`api/runs/${name}`)).toMatchObject({ name, method: 'bc', state: 'running' });
    expect(await json(`api/runs/${name}/episodes/0`)).toMatchObject({ taskId: 'heat-1', steps: 1 });
    expect(await got(`api/runs/${name}/frames/ab.png`)).toEqual({ status: 200, text: 'picture' });
    for (const path of [
      'api/runs/other',
      'api/runs/%2e%2e%2f',
      'api/runs/..%2f..%2fetc',
      `api/runs/${name}%2fcheckpoints`,
      `api/runs/${name}/episodes/7`,
      `api/runs/${name}/episodes/..%2f0`,
      `api/runs/${name}/comparison`,
      `api/runs/${name}/frames/..%2f..%2fsecret.png`,
      `api/runs/${name}/frames/config.yaml`,
    ])
      expect((await got(path)).status).toBe(404);
  });

  it('sends the report of a comparison as data', async () => {
    const compared = join(folder, 'compared');
    mkdirSync(compared);
    writeFileSync(join(compared, 'comparison.json'), JSON.stringify({ env: 'walk', policies: [] }));
    expect((await got('api/runs/compared/report')).status).toBe(404);
    const table = { name: 'Policies', head: ['policy'], rows: [[hostile]] };
    const page = { title: 'policies', tables: [table], notes: [], pictures: [], curves: [] };
    writeFileSync(join(compared, 'report.html'), tablesPage(page));
    const { text } = await got('api/runs/compared/report');
    expect(JSON.parse(text)).toEqual({ kind: 'tables', ...page });
    rmSync(compared, { recursive: true });
  });

  it('refuses requests for another host name', async () => {
    expect(await askedAs(served.address, 'elsewhere.example')).toBe(421);
  });

  it('reports that a run has changed', async () => {
    const reply = await fetch(at('events'));
    const reader = reply.body!.getReader();
    run.metrics({ v: 1, kind: 'update', update: 2, loss: 0.125 });
    const { value } = await reader.read();
    const names = JSON.stringify({ names: [run.folder.split('/').at(-1)] });
    expect(new TextDecoder().decode(value)).toBe(`event: changed\ndata: ${names}\n\n`);
    await reader.cancel();
    expect((await got(`api/${runAddress().replace('run/', 'runs/')}`)).text).toContain('0.125');
  });

  it('names the port that is taken', async () => {
    const { port } = new URL(served.address);
    await expect(serveBoard({ folder, port: Number(port), now })).rejects.toMatchObject({
      code: 'cannot-create',
      message: expect.stringContaining(`--port ${port}`) as string,
    });
  });
});

/** Status of a request under this host name. */
const askedAs = (address: string, name: string) =>
  new Promise((resolve, reject) => {
    const { port } = new URL(address);
    const asked = request({ host: '127.0.0.1', port, path: '/', headers: { host: name } });
    asked
      .on('response', (reply) => resolve(reply.resume().statusCode))
      .on('error', reject)
      .end();
  });

describe('a board that needs a token', () => {
  it('says nothing of its runs without it, and lets a pass read alone', async () => {
    const control = { token: 'change', record: () => undefined, commands: () => [] } as never;
    const closed = await serveBoard({ folder, port: 0, now, every: 10, control, readToken: 'read' });
    onTestFinished(() => closed.close());
    const name = run.folder.split('/').at(-1)!;
    const status = async (path: string, options: RequestInit = {}) => {
      const reply = await fetch(`${closed.address}${path}`, options);
      await reply.body?.cancel();
      return reply.status;
    };
    const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
    const paths = [
      'api/board',
      'api/runs',
      'api/commands',
      `api/runs/${name}`,
      `api/runs/${name}/frames/ab.png`,
      'events',
    ];
    const rights = await (await fetch(`${closed.address}api/board`, bearer('read'))).json();
    const { pass, canChange } = rights as { pass: string; canChange: boolean };
    expect(canChange).toBe(false);
    for (const path of paths) {
      expect(await status(path), path).toBe(401);
      expect(await status(path, bearer('other')), path).toBe(401);
      expect(await status(`${path}?pass=read`), path).toBe(401);
      for (const known of [bearer('read'), bearer('change')])
        expect(await status(path, known), path).toBe(200);
      expect(await status(`${path}?pass=${pass}`), path).toBe(200);
    }
    const note = { method: 'POST', body: '{}' };
    const json = { 'content-type': 'application/json' };
    for (const shown of ['read', pass])
      expect(
        await status(`api/runs/${name}/notes?pass=${pass}`, {
          ...note,
          headers: { ...json, authorization: `Bearer ${shown}` },
        }),
      ).toBe(401);
  });

  it('is what other machines get: under addresses, and not under names that a page could point at it', async () => {
    await expect(serveBoard({ folder, port: 0, now, host: '0.0.0.0' })).rejects.toMatchObject({
      code: 'usage',
    });
    // this machine, in other words
    for (const host of ['LOCALHOST', '[::1]', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1']) {
      const own = await serveBoard({ folder, port: 0, now, host });
      expect((await fetch(own.address)).status, host).toBe(200);
      await own.close();
    }
    const open = await serveBoard({ folder, port: 0, now, host: '0.0.0.0', readToken: 'read' });
    onTestFinished(() => open.close());
    for (const name of ['192.0.2.7', '[2001:db8::7]', 'localhost', '127.0.0.1'])
      expect(await askedAs(open.address, name), name).toBe(200);
    expect(await askedAs(open.address, 'elsewhere.example')).toBe(421);
    for (const name of ['192.0.2.7', 'elsewhere.example'])
      expect(await askedAs(served.address, name), name).toBe(421);
    await expect(
      serveBoard({ folder, port: 0, now, host: '192.0.2.7', readToken: 'read' }),
    ).rejects.toMatchObject({ message: expect.stringContaining('--host 192.0.2.7') as string });
  });
});

it('asks to install again if its libraries do not load', async () => {
  vi.doMock('hono', () => {
    throw new Error('is damaged');
  });
  onTestFinished(() => void vi.doUnmock('hono'));
  await expect(board({ folder, now })).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(/^board: hono cannot be loaded: .*install again with npm ci$/s) as string,
  });
});
