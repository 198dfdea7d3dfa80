/**
 * Limits the number of connections. New connections are always accepted. To make room the longest-idle connection is
 * closed, or else the one whose request has been incomplete longest. The new one is closed only if the server is
 * working for all others.
 */
import type { IncomingMessage, Server } from 'node:http';
import type { Socket } from 'node:net';

export interface Connections {
  /** Closes connections without an open request, also silent new ones, which Node does not count as idle. */
  closeIdle(): void;
}

/** Watches a server's connections from now on. */
export function limitConnections(server: Server, most: number): Connections {
  /** connections without an open request, oldest first */
  const idle = new Set<Socket>();
  /** open requests of the others, oldest first */
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
  // the connection of a WebSocket is its session's to end
  server.on('upgrade', (_request, socket: Socket) => forget(socket));
  server.on('request', (request, response) => {
    const { socket } = request;
    const requests = busy.get(socket) ?? new Set();
    busy.set(socket, requests.add(request));
    idle.delete(socket);
    response.once('close', () => {
      requests.delete(request);
      // the client may have sent another request before this one was answered
      if (requests.size > 0 || !busy.delete(socket)) return;
      if (!socket.destroyed) idle.add(socket);
    });
  });
  return { closeIdle: () => idle.forEach(close) };
}

/** The oldest connection still waiting for the rest of its client's request. */
function unfinished(busy: ReadonlyMap<Socket, ReadonlySet<IncomingMessage>>): Socket | undefined {
  for (const [socket, requests] of busy) if ([...requests].every(({ complete }) => !complete)) return socket;
  return undefined;
}
