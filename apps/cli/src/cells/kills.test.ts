/**
 * Every cell of the table of methods and environments: killed once at a random failpoint and resumed, and played once by a worker; a method of each way to learn by Muon too. Metrics, evaluations and
 * checkpoints equal the undisturbed run's. A world over HTTP has its client instead of a worker. Needs the build.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Random } from '@emac/core';
import { failpoints } from '@emac/files';
import { isLong } from '@emac/testing';
import { describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../captured-io.test.fixture.ts';
import { emacProcess, isBuilt, type Ended } from '../emac-process.test.fixture.ts';
import { freePort, hasRedis, needsRedis, startRedis } from '../redis-server.test.fixture.ts';
import { contentOf, startWorker } from '../worker-processes.test.fixture.ts';
import { cellsIn, kinds, playing, runIn } from './cells.test.fixture.ts';

const folder = temporaryFolder();
const cells = isLong ? cellsIn(folder, 2) : null;
const random = Random.fromSeed(35);

/** Ordered by what each needs from earlier ones: bc before dpo, for example. */
const methods = [...playing, 'sft'] as const;
/** A method of each way to learn, by Muon, whose moments a resumed run needs too. */
const byMuon = ['bc', 'ppo', 'grpo', 'sft'].map((method) => `${method} by Muon`);
const patience = 600_000;

const outOf = (method: string, kind: string, what: string): string =>
  join(folder, `${method} ${kind} ${what}`.replaceAll(/[^a-z]+/gi, '-'));

async function done(argv: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Ended> {
  const ended = await emacProcess(argv, { env });
  expect([argv.join(' '), ended.status], ended.stderr.slice(-2000)).toEqual([argv.join(' '), 0]);
  return ended;
}

/** Words of a cell's command, without --out. */
async function typed(name: string, kind: string): Promise<readonly string[]> {
  const [method, optimizer] = name.split(' by ') as [string, string?];
  if (optimizer) return [...(await typed(method, kind)), '--optimizer', optimizer.toLowerCase()];
  if (method !== 'sft')
    return ['train', ...cells!.train(method, kind, () => runIn(outOf('bc', kind, 'alone')))];
  const data = outOf('data', kind, '');
  if (!existsSync(data)) await done([...cells!.collect(kind), '--out', data]);
  return ['train', ...cells!.sft(kind, data)];
}

/** A failpoint that a run passes once its folder is there, drawn by the cell's name: `name:count`. */
function drawnFailpoint({ stderr }: Ended, cell: string): string {
  const passed = stderr.split('\n').filter((line) => failpoints.some((name) => name === line));
  const first = passed.indexOf('run-visible');
  const place = first + random.stream(cell).integer(passed.length - first);
  const name = passed[place]!;
  return `${name}:${passed.slice(0, place + 1).filter((each) => each === name).length}`;
}

describe.runIf(isLong && isBuilt)('a killed run (needs the build)', () => {
  describe.each(kinds)('in %s', (kind) => {
    it.each([...methods, ...byMuon])(
      '%s resumes to the undisturbed run’s bytes, and gives them over a worker',
      async (method) => {
        const argv = await typed(method, kind);
        // a dataset needs no further flag
        const code = method.startsWith('sft') ? [] : cells!.code(kind);
        const [alone, killed, over] = ['alone', 'killed', 'over'].map((what) => outOf(method, kind, what));
        const whole = await done([...argv, '--out', alone!], { EMAC_FAILPOINT_FD: '2' });
        const content = contentOf(runIn(alone!));
        expect(Object.keys(content)).toContain('metrics.jsonl');

        const failpoint = drawnFailpoint(whole, `${method} ${kind}`);
        const ended = await emacProcess([...argv, '--out', killed!], { env: { EMAC_FAILPOINT: failpoint } });
        expect([failpoint, ended.signal], ended.stderr.slice(-2000)).toEqual([failpoint, 'SIGKILL']);
        await done(['train', '--resume', runIn(killed!), ...code]);
        expect([failpoint, contentOf(runIn(killed!))]).toEqual([failpoint, content]);

        if (!hasRedis) return;
        const data = outOf(method, kind, 'redis');
        mkdirSync(data);
        const queue = ['--queue', (await startRedis()).url, '--shared', join(data, 'shared')];
        const worker = startWorker([...queue, ...code]);
        await done([...argv, ...queue, '--out', over!]);
        expect(contentOf(runIn(over!))).toEqual(content);
        expect(worker.said()).toMatch(
          /: (played|stepped|answered|computed)|^(played|stepped|answered|computed)/m,
        );
      },
      patience,
    );
  });
});

describe.runIf(isLong && isBuilt)(`in a world over HTTP (needs the build; not ${needsRedis})`, () => {
  it.each(playing)(
    '%s resumes with its client to the bytes of the built-in world',
    async (method) => {
      const argv = [
        'train',
        ...cells!.train(method, 'alfworld', () => runIn(outOf('bc', 'alfworld', 'alone'))),
      ];
      const port = String(await freePort());
      const world = ['--world', 'http', '--port', port, '--clients', '2'];
      // PPO has an environment for each client
      const seats = method === 'ppo' ? [] : ['--parallel-episodes', '2'];
      const [alone, killed] = ['own', 'remote'].map((what) => outOf(method, 'http', what));
      const whole = await done([...argv, ...seats, '--out', alone!], { EMAC_FAILPOINT_FD: '2' });
      const failpoint = drawnFailpoint(whole, `${method} http`);
      const leaving = new AbortController();
      const client = ['world', '--connect', `http://127.0.0.1:${port}`];
      const clients = [1, 2].map(() => emac(client, { interruption: leaving }));
      const killing = [...argv, ...seats, ...world, '--out', killed!];
      const ended = await emacProcess(killing, { env: { EMAC_FAILPOINT: failpoint } });
      expect([failpoint, ended.signal], ended.stderr.slice(-2000)).toEqual([failpoint, 'SIGKILL']);
      await done(['train', '--resume', runIn(killed!)]);
      expect([failpoint, contentOf(runIn(killed!))]).toEqual([failpoint, contentOf(runIn(alone!))]);
      // a run killed after its end opens no port again
      leaving.abort();
      await Promise.all(clients);
    },
    patience,
  );
});
