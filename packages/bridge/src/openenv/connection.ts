/** A session at an OpenEnv server: one WebSocket, one message at a time. */
import { answerLimits, EmacError, isWithinLevels, messageOf } from '@emac/core';
import { WebSocket } from 'ws';
import { Gone } from '../world/desk.ts';
import { codeOfStatus } from '../wire/json-exchange.ts';

export interface SessionOptions {
  /** of the WebSocket */
  readonly url: string;
  /** sent as `Authorization: Bearer`; null for none */
  readonly token: string | null;
  /** milliseconds until an answer must have come */
  readonly answerMs: number;
}

export interface Connection {
  readonly isOpen: boolean;
  /** Asks, and returns the answer's data. Errors: `Refused` for an error of the protocol; `Gone` if the connection is lost or no answer comes. */
  ask(message: { readonly type: string; readonly data?: object }): Promise<Readonly<Record<string, unknown>>>;
  close(): void;
}

/** The server's answer is an error. */
export class Refused extends Error {
  override readonly name = 'Refused';
  /** a code of the protocol, such as `VALIDATION_ERROR` */
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

/** Connects. Errors: `Gone` if nobody answers; `auth`, `unavailable` or `data` for a status that refuses. */
export async function connectSession({ url, token, answerMs }: SessionOptions): Promise<Connection> {
  const socket = new WebSocket(url, {
    ...(token !== null && { headers: { authorization: `Bearer ${token}` } }),
    handshakeTimeout: answerMs,
    maxPayload: answerLimits.bytes,
    perMessageDeflate: false,
  });
  let waiting: Waiting | null = null;
  /** what the server said unasked: that it has no session */
  let said: Refused | null = null;
  const lose = (why: string): void => {
    waiting?.reject(new Gone(why));
    waiting = null;
    socket.terminate();
  };
  socket.on('message', (data: Buffer) => {
    const answer = answerIn(data.toString('utf8'));
    if (waiting === null && answer instanceof Refused) said = answer;
    const { resolve, reject } = waiting ?? ignored;
    waiting = null;
    if (answer instanceof Error) reject(answer);
    else resolve(answer);
  });
  socket.on('error', (fault) => lose(messageOf(fault)));
  socket.on('close', (code: number) => lose(`the connection ended (${code})`));
  // listened to before it is open: the first message may come with the handshake
  await opened(socket, url);
  return {
    get isOpen() {
      return socket.readyState === WebSocket.OPEN;
    },
    async ask(message) {
      if (said) throw said;
      if (socket.readyState !== WebSocket.OPEN) throw new Gone('the connection has ended');
      const late = setTimeout(() => lose(`no answer came for ${answerMs / 1000} s`), answerMs);
      try {
        return await new Promise((resolve, reject) => {
          waiting = { resolve, reject };
          socket.send(JSON.stringify(message));
        });
      } finally {
        clearTimeout(late);
      }
    },
    close() {
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ type: 'close' }));
      socket.close();
    },
  };
}

interface Waiting {
  resolve(data: Readonly<Record<string, unknown>>): void;
  reject(fault: Error): void;
}

const ignored: Waiting = { resolve: () => {}, reject: () => {} };

/** Errors: as `connectSession`'s. */
function opened(socket: WebSocket, url: string): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', (fault) => reject(new Gone(messageOf(fault))));
    socket.once('unexpected-response', (_request, { statusCode = 0 }) => {
      reject(
        new EmacError(codeOfStatus(statusCode), `${url}: refused a WebSocket with status ${statusCode}`),
      );
      socket.terminate();
    });
  });
}

function answerIn(text: string): Readonly<Record<string, unknown>> | Error {
  const { type, data } = parsed(text);
  if (typeof data !== 'object' || data === null) return new Gone('the answer has no data');
  if (!isWithinLevels(data)) return new Gone(`the answer has more than ${answerLimits.levels} levels`);
  const fields = data as Readonly<Record<string, unknown>>;
  if (type !== 'error') return fields;
  return new Refused(
    String(fields['code'] ?? 'unknown'),
    String(fields['message'] ?? 'no reason given').slice(0, 500),
  );
}

function parsed(text: string): { readonly type?: unknown; readonly data?: unknown } {
  try {
    return (JSON.parse(text) ?? {}) as object;
  } catch {
    return {};
  }
}
