/**
 * Not more connections than there may be. A new one is always taken, so that those which only wait keep nobody out: the one which has
 * been idle longest goes for it, or, where none is idle, the one whose request has been on its way longest; the new one itself only where
 * the server is at work for all.
 */
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

export interface Connections {
  /** Closes those without a request under way, also those that have not sent anything yet, which Node does not count as idle. */
  closeIdle(): void;
}

/** Watches a server's connections from now on. */
export function limitConnections(server: Server, most: number): Connections {
  /** connections without a request under way, oldest first */
  const idle = new Set<Socket>();
  /** the requests under way of the others, oldest first */
  const busy = new Map<Socket, Set<IncomingMessage>>();
  const forget = (socket: Socket): void => {
    idle.delete(socket);
    busy.delete(socket);
  };
  const close = (socket: Socket): void => {
    forget(socket);
    socket.destroy();
  };
  server.on('connection', (socket: Socket) => {
    if (idle.size + busy.size >= most) {
      const [oldest = unfinished(busy) ?? socket] = idle;
      close(oldest);
    }
    if (socket.destroyed) return;
    idle.add(socket);
    socket.once('close', () => forget(socket));
  });
  server.on('request', (request, response) => {
    const { socket } = request;
    const requests = busy.get(socket) ?? new Set();
    busy.set(socket, requests.add(request));
    idle.delete(socket);
    response.once('close', () => {
      requests.delete(request);
      // another one may have been sent before this one was answered
      if (requests.size > 0 || !busy.delete(socket)) return;
      if (!socket.destroyed) idle.add(socket);
    });
  });
  return { closeIdle: () => idle.forEach(close) };
}

/** The oldest connection that waits for its client to send the rest of a request. */
function unfinished(busy: ReadonlyMap<Socket, ReadonlySet<IncomingMessage>>): Socket | undefined {
  for (const [socket, requests] of busy) if ([...requests].every(({ complete }) => !complete)) return socket;
  return undefined;
}
