/** A test's own Redis server: a free loopback port, a temporary folder; removed with the test. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';

/** False without an installed redis-server: tests that need one are skipped, and their names say so. */
export const hasRedis = spawnSync('redis-server', ['--version']).status === 0;
export const needsRedis =
  'needs the build, and redis-server, which Debian installs with: apt-get install redis-server';

export interface TestRedis {
  readonly url: string;
  /** ends it at once */
  kill(): Promise<void>;
  /** kills it and starts it again, on the same port and folder */
  crash(): Promise<void>;
}

/** Starts a server that loses no acknowledged write. */
export async function startRedis(folder: string): Promise<TestRedis> {
  const port = await freePort();
  let child = await started(port, folder);
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  onTestFinished(kill);
  return {
    url: `redis://127.0.0.1:${port}`,
    kill,
    async crash() {
      await kill();
      child = await started(port, folder);
    },
  };
}

/** A port without a listener. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

async function started(port: number, folder: string): Promise<ChildProcess> {
  const place = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder];
  const words = [...place, '--appendonly', 'yes', '--appendfsync', 'always', '--save', ''];
  const child = spawn('redis-server', words, { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface(child.stdout))
    if (/Ready to accept connections/.test(line)) {
      child.stdout.resume();
      return child;
    }
  throw new Error('redis-server does not start');
}
