/** `emac serve` with emma-tiny as a separate process, on a free port. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../../apps/cli/bin/emac.mjs', import.meta.url));

export interface ServerProcess {
  readonly address: string;
  longestStallMs(): Promise<number>;
  end(): Promise<void>;
}

export async function served({
  batch,
  beams,
}: {
  readonly batch: number;
  readonly beams: number;
}): Promise<ServerProcess> {
  const words = ['serve', '--ckpt', 'emma-tiny', '--port', '0', '--batch', `${batch}`, '--beams', `${beams}`];
  const child = spawn(process.execPath, [program, ...words], { stdio: ['ignore', 'pipe', 'ignore'] });
  let written = '';
  while (!/^serving .*\n/m.test(written)) {
    const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
    written += chunk.toString();
  }
  const address = /http:\/\/[^/\s]+/.exec(written)![0];
  return {
    address,
    longestStallMs: async () => {
      const text = await (await fetch(`${address}/metrics`)).text();
      return Number(/^emac_longest_stall_seconds (\S+)$/m.exec(text)![1]) * 1000;
    },
    end: async () => {
      child.kill('SIGTERM');
      await once(child, 'close');
    },
  };
}
