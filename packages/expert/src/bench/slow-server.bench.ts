/**
 * A local server that answers every request after a given time, each with its own command, and counts requests. It
 * holds the first `together` answers until all those requests have arrived, however slow the machine is.
 */
import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SlowServer {
  readonly baseUrl: string;
  /** number of requests so far */
  requests(): number;
  /** number of exact repeats */
  repeated(): number;
  /** largest number of concurrent requests */
  mostAtOnce(): number;
  close(): Promise<void>;
}

export async function slowServer(answersAfterMs: number, together = 1): Promise<SlowServer> {
  const bodies = new Set<string>();
  let [requests, open, most] = [0, 0, 0];
  const first: (() => void)[] = [];
  const server = createServer((request, response) => {
    const hash = createHash('sha256');
    most = Math.max(most, ++open);
    response.on('close', () => open--);
    request.on('data', (chunk: Buffer) => hash.update(chunk));
    request.on('end', () => {
      bodies.add(hash.digest('hex'));
      const content = `go to drawer ${++requests}`;
      const choices = [{ message: { role: 'assistant', content }, finish_reason: 'stop' }];
      const usage = { prompt_tokens: 900, completion_tokens: 6 };
      response.setHeader('content-type', 'application/json');
      const answer = (): void => {
        setTimeout(() => response.end(JSON.stringify({ choices, usage })), answersAfterMs);
      };
      if (requests > together) return answer();
      first.push(answer);
      if (requests === together) for (const each of first) each();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}/v1`,
    requests: () => requests,
    repeated: () => requests - bodies.size,
    mostAtOnce: () => most,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
