/** `emac stop` against a real run, and against claims of dead processes. Needs the compiled command. */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRun, readRecord } from '@emac/runs';
import { describe, expect, it } from 'vitest';
import { emac, temporaryFolder, type Captured } from '../../captured-io.test.fixture.ts';
import { emacProcess, isBuilt, once } from '../../emac-process.test.fixture.ts';

const folder = temporaryFolder();
let count = 0;

/** The folder of a dead run, as a kill leaves it: run.json still says running. */
function killedRun(phase = 'bc'): string {
  const out = join(folder, `killed-${count++}`);
  const options = { phase, seed: 0, config: {}, versions: {}, now: () => new Date(0) };
  const run = createRun({ out, ...options });
  run.stop('interrupted', 'stopped on request');
  const path = join(run.folder, 'run.json');
  const record = JSON.parse(readFileSync(path, 'utf8')) as object;
  writeFileSync(path, JSON.stringify({ ...record, status: 'running' }));
  return run.folder;
}

function claim(run: string, identity: object): string {
  const path = join(run, '.lock-of-another');
  writeFileSync(path, JSON.stringify(identity));
  return path;
}

describe('emac stop', () => {
  it.skipIf(!isBuilt)(
    'asks a run to stop, waits for its process to end, and reports its progress',
    async () => {
      const out = join(folder, 'runs');
      const argv = [
        'train',
        '--phase',
        'bc',
        '--games-per-round',
        '30',
        '--eval-games',
        '0',
        '--probe',
        'none',
        '--out',
        out,
      ];
      let stopped: Promise<Captured> | undefined;
      const trained = await emacProcess(
        argv,
        once('training: ', () => {
          stopped = emac(['stop', join(out, readdirSync(out)[0]!)]);
        }),
      );
      expect(trained.status).toBe(75);
      const run = join(out, readdirSync(out)[0]!);
      const { status, stdout, stderr } = await stopped!;
      expect([status, readRecord(run).status]).toEqual([0, 'interrupted']);
      const latest = readFileSync(join(run, 'checkpoints/latest'), 'utf8').trim();
      expect(stdout).toBe(
        `run ${run}: interrupted, at checkpoint ${latest}\nto resume: npx emac train --resume ${run}\n`,
      );
      expect(stderr).toMatch(/^process \d+ was asked to stop; it finishes its step and saves the run\n$/);
      const again = await emac(['stop', run, '--json']);
      expect([again.status, JSON.parse(again.stdout)]).toEqual([
        0,
        { run, status: 'interrupted', reason: expect.any(String), checkpoint: latest, wasRunning: false },
      ]);
    },
  );

  it('recognises a killed run, and spares a process with a reused process id', async () => {
    const run = killedRun();
    const { space, host } = ownClaim();
    let signals = 0;
    const heard = () => void signals++;
    process.on('SIGTERM', heard);
    claim(run, { host, space, pid: process.pid, start: '1' });
    const { status, stdout, stderr } = await emac(['stop', run]);
    await new Promise((resolve) => setImmediate(resolve));
    process.off('SIGTERM', heard);
    expect([status, signals]).toEqual([0, 0]);
    expect(stdout).toBe(
      `run ${run}: killed, without a checkpoint\nto resume: npx emac train --resume ${run}\n`,
    );
    expect(stderr).toContain('no process is using it');
  });

  it.each(['dpo', 'ppo', 'grpo'])('prints the resume command of a run of %s', async (phase) => {
    const run = killedRun(phase);
    const { stdout } = await emac(['stop', run]);
    expect(stdout).toContain(`to resume: npx emac train --resume ${run}\n`);
  });

  it('rejects a run of another machine until its claim has expired', async () => {
    const run = killedRun();
    const path = claim(run, { host: 'node-17', space: 'another', pid: 4711, start: '99' });
    // renewed at second 1000; a claim expires after 180 s without renewal
    utimesSync(path, 1000, 1000);
    const refused = await emac(['stop', run], { now: () => 1_179_999 });
    expect([refused.status, refused.stdout]).toEqual([69, '']);
    expect(refused.stderr).toMatch(
      /process 4711 on node-17 is using it, which is another machine; give the command there\n$/,
    );
    expect((await emac(['stop', run], { now: () => 1_180_000 })).status).toBe(0);
  });

  it.skipIf(!isBuilt)('ends with 75 after --timeout if the run is still working', async () => {
    const out = join(folder, 'deaf');
    const script = join(folder, 'deaf.mjs');
    const runs = new URL('../../../../../packages/runs/dist/index.js', import.meta.url);
    writeFileSync(
      script,
      `import { createRun } from ${JSON.stringify(runs.href)};
       const options = { phase: 'bc', seed: 0, config: {}, versions: {}, now: () => new Date(0) };
       const { folder } = createRun({ out: ${JSON.stringify(out)}, ...options });
       process.on('SIGTERM', () => process.stdout.write('asked\\n'));
       setInterval(() => {}, 1000);
       process.stdout.write(folder + '\\n');`,
    );
    const child = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] });
    let written = '';
    const run = await new Promise<string>((resolve) =>
      child.stdout.on('data', (chunk: Buffer) => {
        written += chunk.toString();
        if (written.includes('\n')) resolve(written.split('\n')[0]!);
      }),
    );
    const { status, stderr } = await emac(['stop', run, '--timeout', '1']);
    child.kill('SIGKILL');
    await new Promise((resolve) => child.on('close', resolve));
    expect([status, written.includes('asked')]).toEqual([75, true]);
    expect(stderr).toMatch(/was asked to stop but still runs after 1 s; wait for it/);
  });

  it('ends with 66 for a missing run, or a folder that is no run', async () => {
    mkdirSync(join(folder, 'empty'));
    for (const name of ['nowhere', 'empty'])
      expect((await emac(['stop', join(folder, name)])).status).toBe(66);
  });
});

/** The claim of this process. */
function ownClaim(): { readonly space: string; readonly host: string } {
  const options = { phase: 'bc', seed: 0, config: {}, versions: {}, now: () => new Date(0) };
  const run = createRun({ out: join(folder, 'own'), ...options });
  const name = readdirSync(run.folder).find((each) => each.startsWith('.lock-'))!;
  const claimed = JSON.parse(readFileSync(join(run.folder, name), 'utf8')) as { space: string; host: string };
  run.stop('interrupted', 'stopped on request');
  return claimed;
}
