/** The command as a process: what no test inside this process can see. Needs the compiled command. */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readRecord } from '@emac/runs';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from './captured-io.test.fixture.ts';

const program = fileURLToPath(new URL('../bin/emac.mjs', import.meta.url));
const isBuilt = existsSync(new URL('../dist/main.js', import.meta.url));
const folder = temporaryFolder();

interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Started {
  readonly options?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** called with everything written so far */
  readonly watch?: (child: ReturnType<typeof spawn>, written: string) => void;
}

function start(argv: readonly string[], { options = [], env = {}, watch }: Started = {}): Promise<Ended> {
  const child = spawn(process.execPath, [...options, program, ...argv], {
    env: { PATH: process.env['PATH'], ...env },
    ...{ timeout: 50_000, killSignal: 'SIGKILL' },
  });
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].on('data', (chunk: Buffer) => {
      written[name] += chunk.toString();
      watch?.(child, written.stdout + written.stderr);
    });
  child.stdin.end();
  return new Promise((resolve) => child.on('close', (status) => resolve({ status, ...written })));
}

describe.skipIf(!isBuilt)('the emac process (needs the build)', () => {
  it('ends with the status of the fault and one sentence', async () => {
    const { status, stdout, stderr } = await start(['train', '--phase', 'bc', '--lr', 'abc']);
    expect([status, stdout]).toEqual([64, '']);
    expect(stderr).toBe('emac: --lr: must be a number above 0, got "abc"\n');
  });

  it('evaluates without a network and without a key, and does not even load the openai package', async () => {
    const preload = join(folder, 'no-network.cjs');
    writeFileSync(
      preload,
      `const refuse = (what) => () => { process.stderr.write('NETWORK ' + what); process.exit(99); };
       const net = require('node:net');
       net.Socket.prototype.connect = refuse('connect');
       for (const name of ['lookup', 'resolve', 'resolve4']) require('node:dns')[name] = refuse(name);
       require('node:dns').promises.lookup = refuse('lookup');
       globalThis.fetch = refuse('fetch');
       const hook = 'export async function resolve(name, context, next) { if (/^(openai$|openai[/]|@emac[/]expert)/.test(name)) throw new Error("OPENAI " + name); return next(name, context); }';
       require('node:module').register('data:text/javascript,' + encodeURIComponent(hook));`,
    );
    const argv = [
      'eval',
      '--ckpt',
      'emma-tiny',
      '--num-games',
      '1',
      '--max-steps',
      '1',
      '--beams',
      '1',
      '--json',
    ];
    const { status, stdout, stderr } = await start(argv, { options: ['--require', preload] });
    expect(stderr).not.toMatch(/NETWORK|OPENAI/);
    expect(status).toBe(0);
    expect((JSON.parse(stdout) as { games: object[] }).games).toHaveLength(1);
  });

  it('lets a run end in order at Ctrl-C, and ends with 130', async () => {
    const out = join(folder, 'runs');
    let isSent = false;
    const { status } = await start(
      ['train', '--phase', 'bc', '--beams', '1', '--eval-games', '1', '--out', out],
      {
        watch: (child, written) => {
          if (isSent || !written.includes('evaluation before')) return;
          isSent = true;
          child.kill('SIGINT');
        },
      },
    );
    expect(status).toBe(130);
    expect(readRecord(join(out, readdirSync(out)[0]!)).status).toBe('interrupted');
  });

  it.skipIf(!existsSync('/proc'))('refuses an output below /proc, at once', async () => {
    const argv = ['train', '--phase', 'bc', '--eval-games', '0', '--out', '/proc/nothere/runs'];
    const { status, stderr } = await start(argv);
    expect(status).toBe(73);
    expect(stderr).toContain('/proc/nothere');
  });

  it('is quiet when nobody reads its output any more', async () => {
    const commands = join(folder, 'many.txt');
    writeFileSync(commands, 'look\n'.repeat(20_000));
    const argv = ['play', 'builtin:train/0', '--json', '--commands', commands];
    const { status, stderr } = await start(argv, {
      watch: (child) => {
        child.stdout?.destroy();
      },
    });
    expect([status, stderr]).toEqual([0, '']);
  });
});
