/** A Redis server per test: a free loopback port and a temporary folder, removed with the test. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** False without redis-server; tests that need it are then skipped, and their names say so. */
export const hasRedis = spawnSync('redis-server', ['--version']).status === 0;
export const needsRedis = 'needs redis-server, which Debian installs with: apt-get install redis-server';

export interface TestRedis {
  readonly url: string;
  readonly port: number;
  readonly folder: string;
  /** stops it at once, like a crash */
  kill(): Promise<void>;
  /** restarts on the same port, with the same folder */
  restart(): Promise<void>;
  /** stops it and removes its folder */
  remove(): Promise<void>;
}

/** Starts a server with an append-only file; `settings` are command-line arguments. */
export async function startRedis(...settings: string[]): Promise<TestRedis> {
  const folder = mkdtempSync(join(tmpdir(), 'emac-redis-'));
  const first = await onFreePort(folder, settings);
  const { port } = first;
  let { child } = first;
  const kill = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  return {
    port,
    folder,
    url: `redis://127.0.0.1:${port}`,
    kill,
    async restart() {
      child = (await started(port, folder, settings))!;
    },
    async remove() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function onFreePort(folder: string, settings: readonly string[]) {
  for (let attempt = 0; attempt < 10; attempt++) {
    const port = await freePort();
    const child = await started(port, folder, settings);
    if (child) return { port, child };
  }
  throw new Error('redis-server does not start');
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

/** Null if it ends before it is ready, since another program has taken the port. */
async function started(
  port: number,
  folder: string,
  settings: readonly string[],
): Promise<ChildProcess | null> {
  const place = ['--port', String(port), '--bind', '127.0.0.1', '--dir', folder];
  const words = [...place, '--appendonly', 'yes', '--save', '', ...settings];
  const child = spawn('redis-server', words, { stdio: ['ignore', 'pipe', 'inherit'] });
  for await (const line of createInterface(child.stdout))
    if (/Ready to accept connections/.test(line)) {
      child.stdout.resume();
      return child;
    }
  return null;
}
