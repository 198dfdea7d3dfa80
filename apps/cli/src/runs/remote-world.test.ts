/**
 * Games that clients play: the same games give the same bytes, whoever plays them, and after a kill. Clients are commands in
 * this process, with real HTTP between them and the run.
 */
import { once as heard } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { isLong } from '@emac/testing';
import { describe, expect, it } from 'vitest';
import { emac, temporaryFolder, type Captured } from '../captured-io.test.fixture.ts';
import { emacProcess, isBuilt } from '../emac-process.test.fixture.ts';

const folder = temporaryFolder();
const small =
  '--rounds 2 --games-per-round 2 --max-steps 3 --updates-per-episode 1 --beams 1 --eval-games 0 --observe text'.split(
    ' ',
  );
const bc = ['train', '--phase', 'bc', ...small];
// two processes share the machine with whatever else is at work on it
const patience = 300_000;

/** `metrics.jsonl` and every file of every checkpoint of each run, by name. */
function bytesIn(out: string): Map<string, string> {
  const runs = readdirSync(out).filter((name) => !name.startsWith('.'));
  const files = runs.sort().flatMap((run, phase) => {
    const inside = readdirSync(join(out, run, 'checkpoints'), { recursive: true, encoding: 'utf8' });
    const steps = inside.filter((each) => each.includes('/')).map((each) => join('checkpoints', each));
    return ['metrics.jsonl', ...steps].map(
      (file) => [`${phase} ${file}`, readFileSync(join(out, run, file)).toString('base64')] as const,
    );
  });
  return new Map(files.sort());
}

/** Runs a command that waits for clients, and each of these once it says where. */
async function withClients(argv: readonly string[], ...clients: readonly string[][]) {
  const played: Promise<Captured>[] = [];
  let said = '';
  const run = await emac([...argv, '--world', 'http', '--port', '0'], {
    onStderr: (text) => {
      said += text;
      const address = /--connect (http:\/\/[\d.:]+)/.exec(said)?.[1];
      if (address && played.length === 0)
        for (const client of clients) played.push(emac(['world', '--connect', address, ...client]));
    },
  });
  for (const client of await Promise.all(played)) expect(client.status, client.stderr).toBe(0);
  expect(run.status, run.stderr).toBe(0);
  return run;
}

async function ownRun(name: string, argv: readonly string[]): Promise<string> {
  const out = join(folder, name);
  const { status, stderr } = await emac([...argv, '--out', out]);
  expect(status, stderr).toBe(0);
  return out;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await heard(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await heard(server, 'close');
  return port;
}

const only = (out: string): string =>
  join(
    out,
    readdirSync(out).find((name) => !name.startsWith('.'))!,
  );
const published = ['--published', '--num-games', '2', '--retry-seconds', '0'];

describe('a world that connects', () => {
  it(
    'gives the same bytes as the own world, over version 2',
    async () => {
      const own = await ownRun('own', bc);
      const remote = join(folder, 'version-2');
      await withClients([...bc, '--out', remote], []);
      expect(bytesIn(remote)).toEqual(bytesIn(own));
    },
    patience,
  );

  it(
    'gives the same bytes over the published wire, but for the list of games while they come',
    async () => {
      const own = bytesIn(await ownRun('own-without-probe', [...bc, '--probe', 'none']));
      const remote = join(folder, 'published');
      await withClients([...bc, '--out', remote], published);
      const there = bytesIn(remote);
      const differing = [...own.keys()].filter((name) => own.get(name) !== there.get(name));
      expect([...there.keys()]).toEqual([...own.keys()]);
      // the checkpoints before the first game and after it
      expect(differing.length).toBeLessThanOrEqual(2);
      expect(differing.filter((name) => !name.endsWith('MANIFEST.json'))).toEqual([]);
    },
    patience,
  );

  it(
    'keeps port and clients over both phases',
    async () => {
      const out = join(folder, 'phases');
      const { stderr } = await withClients(['train', '--phase', 'bc,dpo', ...small, '--out', out], []);
      expect(readdirSync(out).filter((name) => !name.startsWith('.'))).toHaveLength(2);
      expect(stderr.match(/^client emac world: there$/gm)).toHaveLength(1);
    },
    patience,
  );

  it(
    'is evaluated and collected from, by several clients at once and one that brings its games',
    async () => {
      const quick = ['--num-games', '2', '--max-steps', '2', '--beams', '1', '--observe', 'text'];
      const evaluation = ['eval', '--ckpt', 'emma-tiny', '--json', ...quick];
      const suite = ['--games', 'builtin:valid_unseen'];
      const games = async (argv: readonly string[], ...clients: string[][]) =>
        (JSON.parse((await withClients(argv, ...clients)).stdout) as { games: object[] }).games;
      const own = JSON.parse((await emac(evaluation)).stdout) as { games: object[] };
      expect(await games([...evaluation, '--clients', '2'], [...suite, '--at-once', '2'])).toEqual(own.games);
      expect(await games(evaluation, [...suite, ...published])).toHaveLength(2);
      const [here, there] = [join(folder, 'collected'), join(folder, 'collected-there')];
      const collecting = ['collect', '--num-games', '2', '--max-steps', '3', '--observe', 'text'];
      await emac([...collecting, '--out', here]);
      await withClients([...collecting, '--out', there], []);
      const dataset = (out: string) => readFileSync(join(out, 'train.json'), 'utf8');
      expect(dataset(there)).toBe(dataset(here));
    },
    patience,
  );

  it.each([
    [['--port', '7860'], '--port: belongs to --world http, which was not asked for'],
    [
      ['--world', 'http', '--games', 'x'],
      '--games: belongs to the own world; with --world http the client has the games',
    ],
    [['--world', 'http', '--port', '0', '--expert', 'planner'], '--expert planner: looks into game files'],
    [['--world', 'http', '--port', '0', '--dry-run'], '--dry-run: looks into game files'],
    [['--world', 'http', '--port', '0', '--host', '0.0.0.0'], '--host 0.0.0.0: can be reached by others'],
  ])('refuses what does not go together: %j', async (flags, why) => {
    const { status, stderr } = await emac([...bc, '--out', join(folder, 'refused'), ...flags]);
    expect([status, stderr.includes(why)]).toEqual([64, true]);
  });

  it('is told where nobody answers', async () => {
    const port = await freePort();
    const { status, stderr } = await emac([
      'world',
      '--connect',
      `http://127.0.0.1:${port}`,
      '--retry-seconds',
      '0',
    ]);
    expect([status, stderr.includes('does not answer')]).toEqual([69, true]);
  });
});

describe.skipIf(!isBuilt)('a run that is killed while clients play (needs the build)', () => {
  /** Killed while it acts for the seventh time; the client comes back to the run that goes on. */
  async function killedAndResumed(name: string, client: readonly string[]) {
    const out = join(folder, name);
    const address = `http://127.0.0.1:${await freePort()}`;
    const argv = [...bc, '--probe', 'none', '--out', out, '--world', 'http', '--port', new URL(address).port];
    const killing = emacProcess(argv, { env: { EMAC_FAILPOINT: 'acting:7' } });
    const leaving = new AbortController();
    const playing = emac(['world', '--connect', address, ...client], { interruption: leaving });
    const killed = await killing;
    expect(killed.signal, killed.stderr).toBe('SIGKILL');
    const resumed = await emacProcess(['train', '--resume', only(out)]);
    expect(resumed.status, resumed.stderr).toBe(0);
    // nobody says on the published wire that a run has ended
    if (client.includes('--published')) leaving.abort();
    expect((await playing).status).toBe(leaving.signal.aborted ? 75 : 0);
    return out;
  }

  it(
    'ends with the bytes that it would have ended with, over version 2',
    async () => {
      const own = await ownRun('own-undisturbed', [...bc, '--probe', 'none']);
      expect(bytesIn(await killedAndResumed('killed', []))).toEqual(bytesIn(own));
    },
    patience,
  );

  it.runIf(isLong)(
    'plays every game of every round, over the published wire',
    async () => {
      const out = await killedAndResumed('killed-published', [
        '--published',
        '--num-games',
        '2',
        '--retry-seconds',
        '60',
      ]);
      const lines = readFileSync(join(only(out), 'metrics.jsonl'), 'utf8')
        .trim()
        .split('\n');
      const rounds = lines
        .map((line) => JSON.parse(line) as Record<string, unknown>)
        .filter(({ kind }) => kind === 'round');
      expect(rounds.map(({ played, lost }) => [played, lost])).toEqual([
        [2, undefined],
        [2, undefined],
      ]);
    },
    patience,
  );
});
