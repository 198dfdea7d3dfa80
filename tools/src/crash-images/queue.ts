/** A Redis server without a disk, on a free port. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { createFolder } from '@emac/files';

export interface Queue {
  readonly address: string;
  /** forgets everything, as in a power cut */
  empty(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts `redis-server` in `folder`. */
export async function startQueue(folder: string): Promise<Queue> {
  createFolder(folder);
  const port = await freePort();
  const child = spawn('redis-server', ['--port', String(port), '--save', '', '--appendonly', 'no'], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  for await (const line of createInterface(child.stdout)) if (line.includes('Ready to accept')) break;
  child.stdout.resume();
  return {
    address: `redis://127.0.0.1:${port}`,
    async empty() {
      const socket = connect(port, '127.0.0.1');
      socket.end('FLUSHALL\r\nQUIT\r\n');
      socket.resume();
      await once(socket, 'close');
    },
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
