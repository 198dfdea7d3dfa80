/** A proxy named in the environment is used, except for hosts in NO_PROXY. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, request as ask } from 'node:http';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { bytesOf, closed, content, listen, serve } from './breaking-server.test.support.ts';
import { openConnection } from './connection.ts';
import { download } from './download.ts';

const folder = mkdtempSync(join(tmpdir(), 'emac-proxy-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it.each([
  ['HTTP_PROXY', {}, 1],
  ['http_proxy', {}, 1],
  ['HTTP_PROXY', { NO_PROXY: '127.0.0.1' }, 0],
])('%s, beside %o', async (variable, more, asked) => {
  const seen: (string | undefined)[] = [];
  const bytes = bytesOf(1000);
  const server = await serve([content(bytes)]);
  const proxy = createServer((incoming, outgoing) => {
    seen.push(incoming.url);
    const { method, headers } = incoming;
    ask(incoming.url!, { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(outgoing);
    }).end();
  });
  proxy.on('connect', ({ url }, socket) => {
    seen.push(url);
    const [host, port] = url!.split(':');
    const target = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      target.pipe(socket).pipe(target);
    });
    for (const each of [target, socket]) each.on('error', () => {});
  });
  const connection = openConnection({ [variable]: await listen(proxy), ...more });
  try {
    const path = join(folder, `${variable}-${asked}`);
    await download({ url: server.url }, path, { connection });
    expect(readFileSync(path).equals(bytes)).toBe(true);
    expect(seen.length).toBe(asked);
  } finally {
    await connection.close();
    await closed(proxy);
    await server.close();
  }
});
