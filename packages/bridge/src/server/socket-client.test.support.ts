/** A client's end of a WebSocket, one message after the other. */
import { once } from 'node:events';
import { WebSocket, type ClientOptions } from 'ws';
import { afterEach } from 'vitest';

export interface SocketClient {
  readonly socket: WebSocket;
  /** Sends a text, or anything else as JSON, and returns the next message. */
  ask(message: unknown): Promise<Record<string, unknown>>;
  /** the next message */
  next(): Promise<Record<string, unknown>>;
  /** code of its end */
  readonly closed: Promise<number>;
}

/** Closes every client after each test. */
export function socketClients() {
  const open: WebSocket[] = [];
  afterEach(() => open.splice(0).forEach((socket) => socket.terminate()));
  return async (url: string, options: ClientOptions = {}): Promise<SocketClient> => {
    const socket = new WebSocket(url, options);
    open.push(socket);
    const arrived: string[] = [];
    const waiting: ((text: string) => void)[] = [];
    socket.on('message', (data: Buffer) => {
      const text = data.toString();
      const taker = waiting.shift();
      if (taker) taker(text);
      else arrived.push(text);
    });
    const closed = new Promise<number>((resolve) => socket.once('close', (code) => resolve(code)));
    await once(socket, 'open');
    const next = async () => {
      const text = arrived.shift() ?? (await new Promise<string>((resolve) => waiting.push(resolve)));
      return JSON.parse(text) as Record<string, unknown>;
    };
    return {
      socket,
      closed,
      next,
      ask(message) {
        socket.send(typeof message === 'string' ? message : JSON.stringify(message));
        return next();
      },
    };
  };
}

/** The status that a server refuses a WebSocket with. */
export async function refusedStatus(url: string, options: ClientOptions = {}): Promise<number> {
  const socket = new WebSocket(url, options);
  const [, response] = (await once(socket, 'unexpected-response')) as [unknown, { statusCode: number }];
  socket.on('error', () => {});
  socket.terminate();
  return response.statusCode;
}
