/**
 * Not more connections than there may be. A new one is always taken, so that those which only wait keep nobody out: the one which has
 * been idle longest goes for it, and the new one itself only where all are busy.
 */
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/** Watches a server's connections from now on. */
export function limitConnections(server: Server, most: number): void {
  /** connections without a request under way, oldest first */
  const idle = new Set<Socket>();
  let count = 0;
  server.on('connection', (socket: Socket) => {
    count++;
    idle.add(socket);
    if (count > most) {
      const [oldest] = idle;
      oldest!.destroy();
    }
    socket.once('close', () => {
      count--;
      idle.delete(socket);
    });
  });
  server.on('request', ({ socket }, response) => {
    idle.delete(socket);
    response.once('close', () => {
      if (!socket.destroyed) idle.add(socket);
    });
  });
}
