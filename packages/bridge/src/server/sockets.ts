/**
 * WebSockets on a server, under its rules: the same admission as for requests, bounded messages, one at a time for each
 * client. A client that does not read its answers, or that sends faster than it is answered, waits at its own socket.
 */
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import type { Asking } from './admission.ts';
import { written } from './client-errors.ts';
import type { ServerLimits } from './limits.ts';
import type { Refusal, RefusedHere } from './refusal.ts';

/** The other end of one WebSocket. */
export interface Conversation {
  /** sent before any message of the client, if there is something to say */
  readonly greeting?: string;
  /** the client is told why it cannot stay: after the greeting the connection ends */
  readonly isOver?: boolean;
  /** fires when the client must leave, in its place for another; its connection ends with 1013 */
  readonly over?: AbortSignal;
  /** Answers a message; null ends the connection. The next message waits for it. */
  answer(message: string): Promise<string | null>;
  /** The connection has ended, whoever ended it. */
  close(): Promise<void>;
}

/** `url`: as requested, on an unknown host; `address`: of the client. */
export type OpenConversation = (url: URL, address: string | null) => Conversation;

export interface Accepting {
  readonly paths: Readonly<Record<string, OpenConversation>>;
  readonly limits: ServerLimits;
  /** null if the client is admitted */
  readonly refusalOf: (asking: Asking) => Refusal | null;
  readonly onFault: (thrown: unknown) => void;
  readonly onRefused: (request: RefusedHere) => void;
}

export interface Sockets {
  /** Takes no more messages, lets those in work finish for `waitMs` milliseconds, and ends all connections. */
  close(waitMs: number): Promise<void>;
}

/** Accepts WebSockets from now on. */
export function acceptSockets(server: Server, accepting: Accepting): Sockets {
  const { paths, limits, refusalOf, onRefused } = accepting;
  const accepted = new WebSocketServer({
    noServer: true,
    maxPayload: limits.messageBytes,
    // small texts on a fast network; compression would cost each session its own window
    perMessageDeflate: false,
  });
  const open = new Set<Talk>();
  // with a listener Node treats every request for another protocol as its own, also those for HTTP/2
  if (Object.keys(paths).length > 0)
    server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
      socket.on('error', () => socket.destroy());
      const url = urlOf(request);
      const conversation = url && Object.hasOwn(paths, url.pathname) ? paths[url.pathname]! : null;
      const refusal = refusalOf(askingOf(request)) ?? (conversation ? null : noSocketHere);
      if (refusal !== null || !conversation) {
        onRefused({ path: url?.pathname ?? null, status: (refusal ?? noSocketHere).status });
        socket.end(written(refusal ?? noSocketHere));
        return;
      }
      accepted.handleUpgrade(request, socket, head, (client) => {
        const talk = talkOn(client, conversation(url!, request.socket.remoteAddress ?? null), accepting);
        open.add(talk);
        void talk.ended.then(() => open.delete(talk));
      });
    });
  return {
    async close(waitMs) {
      const talks = [...open];
      for (const talk of talks) talk.finish();
      const cut = setTimeout(() => talks.forEach((talk) => talk.cut()), waitMs);
      await Promise.all(talks.map(({ ended }) => ended));
      clearTimeout(cut);
    },
  };
}

interface Talk {
  /** resolves when its connection has ended and its conversation is closed */
  readonly ended: Promise<void>;
  /** Ends it after the message in work. */
  finish(): void;
  /** Ends it now. */
  cut(): void;
}

function talkOn(client: WebSocket, conversation: Conversation, { limits, onFault }: Accepting): Talk {
  const waiting: string[] = [];
  let [isWorking, isFinishing] = [false, false];
  let left: Promise<void> | null = null;
  const leave = () => (left ??= conversation.close().catch(onFault));
  const end = (code: number): void => {
    isFinishing = true;
    client.close(code);
  };
  const work = async (): Promise<void> => {
    isWorking = true;
    try {
      for (let message = waiting.shift(); message !== undefined && !isFinishing; message = waiting.shift()) {
        if (waiting.length < limits.messages) client.resume();
        const answer = await conversation.answer(message);
        if (answer === null) {
          // before the client hears of it and comes again
          await leave();
          return end(codes.normal);
        }
        await sent(client, answer);
      }
    } catch (thrown) {
      onFault(thrown);
      end(codes.fault);
    } finally {
      isWorking = false;
    }
    if (isFinishing) end(codes.goingAway);
  };
  client.on('message', (data: Buffer) => {
    if (isFinishing) return;
    waiting.push(data.toString('utf8'));
    if (waiting.length >= limits.messages) client.pause();
    if (!isWorking) void work();
  });
  const stopListening = whileAlive(client, limits);
  // too large a message, or no WebSocket's bytes: `ws` has closed it
  client.on('error', () => {});
  const ended = new Promise<void>((resolve) => {
    client.once('close', () => {
      isFinishing = true;
      stopListening();
      void leave().then(resolve);
    });
  });
  if (conversation.greeting !== undefined) client.send(conversation.greeting);
  if (conversation.isOver) end(codes.tryAgainLater);
  conversation.over?.addEventListener('abort', () => end(codes.tryAgainLater), { once: true });
  return {
    ended,
    finish() {
      if (isWorking) isFinishing = true;
      else end(codes.goingAway);
    },
    cut: () => client.terminate(),
  };
}

/** of RFC 6455 and its registry */
const codes = { normal: 1000, goingAway: 1001, fault: 1011, tryAgainLater: 1013 } as const;

/** Pings the client and ends the connection if it shows no sign of life. */
function whileAlive(client: WebSocket, { pingMs, silenceMs }: ServerLimits): () => void {
  let silentMs = 0;
  const isThere = (): void => void (silentMs = 0);
  for (const sign of ['message', 'ping', 'pong'] as const) client.on(sign, isThere);
  const timer = setInterval(() => {
    silentMs += pingMs;
    if (silentMs > silenceMs) client.terminate();
    else client.ping();
  }, pingMs).unref();
  return () => clearInterval(timer);
}

/** Resolves once the message has left this process, or the connection is gone. */
function sent(client: WebSocket, message: string): Promise<void> {
  return new Promise((resolve) => client.send(message, () => resolve()));
}

function urlOf({ url = '/' }: IncomingMessage): URL | null {
  return URL.canParse(url, 'http://host') ? new URL(url, 'http://host') : null;
}

function askingOf({ headers, socket }: IncomingMessage): Asking {
  const given = Object.entries(headers).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as const] : [],
  );
  return {
    headers: new Headers(given.map(([name, value]) => [name, value])),
    address: socket.remoteAddress ?? null,
  };
}

const noSocketHere: Refusal = {
  status: 404,
  code: 'not_found',
  message: 'No WebSocket is served at this path.',
};
