/** The Redis server of a recorded command; what it knows can be lost at once. */
import { once } from 'node:events';
import { connect } from 'node:net';
import { startRedis } from '@emac/testing';

export interface Queue {
  readonly address: string;
  /** forgets everything, as in a power cut */
  empty(): Promise<void>;
  stop(): Promise<void>;
}

/** Errors: without `redis-server`. */
export async function startQueue(): Promise<Queue> {
  const { url, port, remove } = await startRedis('--appendonly', 'no');
  return {
    address: url,
    async empty() {
      const socket = connect(port, '127.0.0.1');
      socket.end('FLUSHALL\r\nQUIT\r\n');
      socket.resume();
      await once(socket, 'close');
    },
    stop: remove,
  };
}
