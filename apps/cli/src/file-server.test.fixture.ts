/** A real HTTP server with files, ranges and a hold: it stops in the middle of a file until released. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll } from 'vitest';

export interface FileServer {
  readonly address: string;
  readonly requests: IncomingMessage[];
  /** by path; an object is JSON */
  readonly files: Map<string, Buffer | object>;
  /** bytes of an answer before the server stalls; null for no stall */
  holdAfter: number | null;
}

/** Listens until the end of a file's tests. */
export async function fileServer(): Promise<FileServer> {
  const served: FileServer = { address: '', requests: [], files: new Map(), holdAfter: null };
  const server = createServer((request, response) => {
    served.requests.push(request);
    const file = served.files.get(request.url!.split('?')[0]!);
    if (file === undefined) return void response.writeHead(404, { 'content-length': 0 }).end();
    const bytes = Buffer.isBuffer(file) ? file : Buffer.from(JSON.stringify(file));
    const start = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
    const body = bytes.subarray(start);
    const range = start > 0 ? { 'content-range': `bytes ${start}-${bytes.length - 1}/${bytes.length}` } : {};
    response.writeHead(start > 0 ? 206 : 200, { etag: '"1"', 'content-length': body.length, ...range });
    if (served.holdAfter === null) response.end(body);
    else response.write(body.subarray(0, served.holdAfter));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as AddressInfo;
  return Object.assign(served, { address: `http://127.0.0.1:${port}` });
}
