/** A client that sends raw bytes, for requests no library would send. */
import { connect, type Socket } from 'node:net';
import { afterAll } from 'vitest';

const opened: Socket[] = [];

/** An open connection; `answer` resolves to everything received when the server closes it. */
export function connection(port: number): { readonly socket: Socket; readonly answer: Promise<string> } {
  const socket = connect(port, '127.0.0.1');
  opened.push(socket);
  const answer = new Promise<string>((resolve) => {
    let text = '';
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
    socket.on('error', () => {});
    socket.on('close', () => resolve(text));
  });
  return { socket, answer };
}

/** The server's answer to `lines`, the request's head, and a body; the request must make it close the connection. */
export function asked(port: number, lines: readonly string[], body = ''): Promise<string> {
  const { socket, answer } = connection(port);
  socket.write(`${[...lines, 'Connection: close'].join('\r\n')}\r\n\r\n${body}`);
  return answer;
}

/** The status in an answer. */
export function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]);
}

/** Closes the connections a test file has left open. */
export function closeConnections(): void {
  afterAll(() => opened.forEach((socket) => socket.destroy()));
}
