/** A real HTTP server with scripted answers, one entry per POST, the last one repeated; GET returns health. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export interface Seen {
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: { readonly batch: readonly { candidate_paths: string[]; question: string }[] };
}

export type Reply = (response: ServerResponse, seen: Seen) => void;

export async function faultServer(script: readonly Reply[], health: Reply = json({}, { status: 404 })) {
  const seen: Seen[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const one = {
        path: request.url!,
        headers: request.headers,
        body: text === '' ? null : JSON.parse(text),
      };
      if (request.method === 'GET') return health(response, one as Seen);
      seen.push(one as Seen);
      script[Math.min(seen.length, script.length) - 1]!(response, one as Seen);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, seen };
}

interface More {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

export function json(body: unknown, more: More = {}): Reply {
  return text(JSON.stringify(body), more);
}

export function text(body: string, { status = 200, headers = {} }: More = {}): Reply {
  return (response) =>
    void response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body);
}

/** each item's result: one probability per candidate */
export function scores(value = 0.5, headers: Readonly<Record<string, string>> = {}): Reply {
  return (response, seen) => {
    const results = seen.body.batch.map(({ candidate_paths: paths }) => ({
      yes_probabilities: paths.map(() => value),
      predicted_index: 0,
      reward_score: value,
    }));
    json({ results, took: 0.1 }, { headers })(response, seen);
  };
}
