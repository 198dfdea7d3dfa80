/** The templates of docs/examples/workers: every flag in them exists, and the Slurm script starts a worker that plays. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { workerCommand } from '../commands/worker.ts';
import { temporaryFolder } from '../captured-io.test.fixture.ts';
import { emacProcess, isBuilt, program } from '../emac-process.test.fixture.ts';
import { hasRedis, needsRedis, startRedis } from '../redis-server.test.fixture.ts';

const folder = temporaryFolder();
const document = (path: string) => fileURLToPath(new URL(`../../../../docs/${path}`, import.meta.url));
const template = (name: string) => readFileSync(document(`examples/workers/${name}`), 'utf8');
const script = document('examples/workers/slurm.sh');

interface Container {
  readonly command: readonly string[];
  readonly args: readonly string[];
}

/** Flags after `emac worker` in a text. */
function flagsIn(text: string): string[] {
  const calls = text.match(/\bemac worker --.*/g) ?? [];
  return calls.flatMap((call) => call.match(/(?<=\s--)[a-z-]+/g) ?? []);
}

const known = [...Object.keys(workerCommand.options), 'help'];

describe('a template for workers', () => {
  it('for Kubernetes is one Deployment with a container of emac worker and valid flags', () => {
    const documents = parseAllDocuments(template('kubernetes.yaml'));
    expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
    expect(documents).toHaveLength(1);
    const { kind, spec } = documents[0]!.toJS() as {
      kind: string;
      spec: { selector: { matchLabels: object }; template: { metadata: { labels: object }; spec: object } };
    };
    expect(kind).toBe('Deployment');
    expect(spec.template.metadata.labels).toEqual(spec.selector.matchLabels);
    const { containers } = spec.template.spec as { readonly containers: readonly Container[] };
    const words = [...containers[0]!.command, ...containers[0]!.args];
    expect(words.slice(0, 2)).toEqual(['node_modules/.bin/emac', 'worker']);
    const flags = words.filter((word) => word.startsWith('--')).map((word) => word.slice(2));
    expect(flags).toEqual(expect.arrayContaining(['queue', 'shared']));
    expect(known).toEqual(expect.arrayContaining(flags));
  });

  it.each([
    ['slurm.sh', () => template('slurm.sh')],
    ['emac-worker@.service', () => template('emac-worker@.service')],
    ['the page', () => readFileSync(document('guides/workers.md'), 'utf8')],
  ])('%s gives emac worker flags that it has', (_name, text) => {
    const flags = flagsIn(text());
    expect(flags).toEqual(expect.arrayContaining(['queue', 'shared']));
    expect(known).toEqual(expect.arrayContaining(flags));
  });

  it('under systemd restarts on temporary errors only', () => {
    const [, never] = /^RestartPreventExitStatus=(.*)$/m.exec(template('emac-worker@.service'))!;
    expect(never!.split(' ')).toEqual(['64', '73', '77', '78']);
  });
});

/** A folder for the script, with fake srun and sleep programs. */
function surroundings(
  name: string,
  programs: Readonly<Record<string, string>>,
): { cwd: string; PATH: string } {
  const cwd = join(folder, name);
  const [bin, own] = [join(cwd, 'node_modules/.bin'), join(cwd, 'own')];
  for (const path of [bin, own]) mkdirSync(path, { recursive: true });
  symlinkSync(program, join(bin, 'emac'));
  for (const [file, text] of Object.entries(programs)) {
    writeFileSync(join(own, file), `#!/bin/bash\n${text}\n`);
    chmodSync(join(own, file), 0o755);
  }
  return { cwd, PATH: [own, dirname(process.execPath), process.env['PATH']].join(':') };
}

describe.skipIf(spawnSync('bash', ['--version']).status !== 0)('the script for Slurm (needs bash)', () => {
  it('is a script, and names missing variables', () => {
    expect(spawnSync('bash', ['-n', script])).toMatchObject({ status: 0 });
    const { status, stderr } = spawnSync('bash', [script, 'redis://HOST:6379'], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([1, expect.stringContaining('the folder that all machines see')]);
  });

  it('restarts a worker on 69 and 74, after a pause, and ends with any other status', () => {
    // ends with 69, 74 and 78, one after the other
    const srun = 'echo "$@" >> calls; exit "$(sed -n "$(wc -l < calls)p" statuses)"';
    const { cwd, PATH } = surroundings('statuses', { srun, sleep: 'echo "sleep $1" >> pauses' });
    writeFileSync(join(cwd, 'statuses'), '69\n74\n78\n');
    const { status } = spawnSync('bash', [script, 'redis://HOST:6379', '/net/a b'], { cwd, env: { PATH } });
    expect(status).toBe(78);
    const call = '--ntasks=1 node_modules/.bin/emac worker --queue redis://HOST:6379 --shared /net/a b\n';
    expect(readFileSync(join(cwd, 'calls'), 'utf8')).toBe(call.repeat(3));
    expect(readFileSync(join(cwd, 'pauses'), 'utf8')).toBe('sleep 30\n'.repeat(2));
  });

  it.skipIf(!isBuilt || !hasRedis)(
    `starts a worker that plays, and ends with it (${needsRedis})`,
    async () => {
      // srun passes signals on to its child
      const { cwd, PATH } = surroundings('plays', { srun: 'shift; echo $$ > pid; exec "$@"' });
      const redis = await startRedis();
      const shared = join(cwd, 'shared');
      const job = spawn('bash', [script, redis.url, shared], { cwd, env: { PATH }, stdio: 'ignore' });
      const pid = () => Number(readFileSync(join(cwd, 'pid'), 'utf8'));
      onTestFinished(() => void job.kill('SIGKILL'));
      const queue = ['--queue', redis.url, '--shared', shared];
      const small = ['--ckpt', 'emma-tiny', '--num-games', '1', '--max-steps', '2', '--out', 'none'];
      const { status, stdout } = await emacProcess(['eval', ...small, ...queue, '--json', '--quiet']);
      expect(status).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({ games: [{ steps: 2 }] });
      const ended = once(job, 'exit');
      process.kill(pid(), 'SIGTERM');
      expect(await ended).toEqual([0, null]);
    },
  );
});
