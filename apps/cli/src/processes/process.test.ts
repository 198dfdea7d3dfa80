/** The command as a process: behaviour invisible to tests within one process. Needs the compiled command. */
import { spawn, spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { readRecord } from '@emac/runs';
import { isLong } from '@emac/testing';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../captured-io.test.fixture.ts';

const program = fileURLToPath(new URL('../../bin/emac.mjs', import.meta.url));
const isBuilt = existsSync(new URL('../../dist/main.js', import.meta.url));
const folder = temporaryFolder();

interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

interface Started {
  readonly options?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  /** called with the whole output so far */
  readonly watch?: (child: ReturnType<typeof spawn>, written: string) => void;
}

function start(argv: readonly string[], { options = [], env = {}, watch }: Started = {}): Promise<Ended> {
  const child = spawn(process.execPath, [...options, program, ...argv], {
    env: { PATH: process.env['PATH'], ...env },
    timeout: 300_000,
    killSignal: 'SIGKILL',
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
  it('ends with the error’s status and one sentence', async () => {
    const { status, stdout, stderr } = await start(['train', '--phase', 'bc', '--lr', 'abc']);
    expect([status, stdout]).toEqual([64, '']);
    expect(stderr).toBe('emac: --lr: must be a number above 0, got "abc"; see "emac train --help"\n');
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
      '--out',
      'none',
    ];
    const { status, stdout, stderr } = await start(argv, { options: ['--require', preload] });
    expect(stderr).not.toMatch(/NETWORK|OPENAI/);
    expect(status).toBe(0);
    expect((JSON.parse(stdout) as { games: object[] }).games).toHaveLength(1);
  });

  const tiny = '--rounds 1 --games-per-round 2 --max-steps 3 --updates-per-episode 1 --beams 1'.split(' ');

  it('saves a run at Ctrl-C and ends with 75; the run resumes, in one process at a time', async () => {
    const out = join(folder, 'runs');
    let isSent = false;
    // enough games to be still busy when the signal comes, however late
    const games = tiny.map((each) => (each === '2' ? '6' : each));
    const few = [...games, '--eval-games', '0', '--probe', 'none', '--verbose'];
    const stopped = await start(['train', '--phase', 'bc', ...few, '--out', out], {
      watch: (child, written) => {
        if (isSent || !written.includes('in circles') === !written.includes('not won')) return;
        isSent = true;
        child.kill('SIGINT');
      },
    });
    expect(stopped.status).toBe(75);
    const run = join(out, readdirSync(out)[0]!);
    expect(stopped.stderr).toContain(`to resume: npx emac train --resume ${run}\n`);
    expect(readRecord(run).status).toBe('interrupted');
    const both = await Promise.all([1, 2].map(() => start(['train', '--resume', run])));
    // the later one finds it locked or finished
    expect(both.some(({ status }) => status === 0)).toBe(true);
    for (const { status, stderr } of both)
      if (status !== 0)
        expect([status, stderr]).toEqual([73, expect.stringMatching(/process \d+ on .* is using/)]);
    expect(readRecord(run).status).toBe('done');
  });

  it('ends at once at the second Ctrl-C, while the first waits for a step', async () => {
    // never answers
    const server = createServer(() => {});
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
    const expert = ['--expert', 'openai', '--expert-model', 'x', '--expert-base-url', address];
    const argv = [
      'train',
      '--phase',
      'bc',
      ...tiny,
      ...expert,
      '--eval-games',
      '0',
      '--out',
      join(folder, 'twice'),
    ];
    let sent = 0;
    let wasAlive = false;
    const { status } = await start(argv, {
      watch: (child, written) => {
        if (sent === 0 && written.includes('training: 2 games')) {
          sent = 1;
          server.once('request', () => child.kill('SIGINT'));
        }
        // two quick signals may arrive as one: the second follows the answer to the first
        if (sent === 1 && written.includes('again to quit')) {
          sent = 2;
          wasAlive = child.exitCode === null && child.kill('SIGINT');
        }
      },
    });
    server.closeAllConnections();
    server.close();
    expect([status, wasAlive]).toEqual([130, true]);
  });

  const mounts = spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'none', folder]).status === 0;

  it.skipIf(!mounts)('ends with 74 on a full disk, and resumes once there is room', () => {
    const place = join(folder, 'disk');
    mkdirSync(place);
    const emac = `"${process.execPath}" "${program}" train`;
    const script = [
      `mount -t tmpfs -o size=700k none "${place}"`,
      `${emac} --phase bc ${tiny.join(' ').replace('--rounds 1', '--rounds 3')} --eval-games 0 --probe none --keep all --out "${place}"; echo status $?`,
      `mount -o remount,size=50m "${place}"`,
      `${emac} --resume "${place}"/2*; echo status $?`,
      `ls "${place}"/2*/DONE`,
    ].join('\n');
    const { stdout, stderr } = spawnSync('unshare', ['-rm', 'sh', '-c', script], { encoding: 'utf8' });
    expect(stderr).toMatch(/emac: cannot write .*ENOSPC.*free some space/);
    expect(stdout.match(/status \d+/g), stderr).toEqual(['status 74', 'status 0']);
    expect(stdout).toContain('/DONE');
  });

  it.runIf(isLong && existsSync('/proc'))('refuses an output below /proc, at once', async () => {
    const argv = ['train', '--phase', 'bc', '--eval-games', '0', '--out', '/proc/nothere/runs'];
    const { status, stderr } = await start(argv);
    expect(status).toBe(73);
    expect(stderr).toContain('/proc/nothere');
  });

  it.skipIf(!existsSync('/dev/full')).each([
    ['>', 74],
    ['2>', 0],
  ])('ends as it should with %s /dev/full (%i)', (to, status) => {
    const command = `"${process.execPath}" "${program}" play builtin:train/0 --json --commands - ${to} /dev/full`;
    const ended = spawnSync('sh', ['-c', command], { input: 'look\n', encoding: 'utf8' });
    expect(ended.status).toBe(status);
    if (status !== 0) expect(ended.stderr).toMatch(/^emac: cannot write standard output: ENOSPC.*\n$/);
  });

  it('is quiet after its output was closed', async () => {
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
