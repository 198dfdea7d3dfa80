/**
 * A stand-in for a fast language model, with its latency. Its answers depend only on the request, so runs can be
 * compared; it counts each request.
 */
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface LanguageServer {
  /** up to `/v1` */
  readonly address: string;
  /** requests so far */
  readonly asked: () => number;
  close(): void;
}

const answers = [
  'look',
  'inventory',
  'go to shelf 1',
  'go to countertop 1',
  'go to drawer 1',
  'go to cabinet 1',
];

/** Listens on a free port of this machine. */
export async function startLanguageServer(latencyMs: number): Promise<LanguageServer> {
  let asked = 0;
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      asked++;
      const number = createHash('sha256').update(Buffer.concat(chunks)).digest().readUInt32LE();
      const content = answers[number % answers.length];
      const body = {
        choices: [{ message: { role: 'assistant', content }, finish_reason: 'stop' }],
        usage: { prompt_tokens: number % 500, completion_tokens: 3, total_tokens: (number % 500) + 3 },
      };
      setTimeout(() => {
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      }, latencyMs);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`,
    asked: () => asked,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
