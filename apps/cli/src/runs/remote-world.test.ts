/**
 * Games played by clients: the same games give the same bytes with any client, and after a kill. Clients are commands in this process, with real HTTP between
 * them and the run.
 */
import { once as heard } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { sha256 } from '@emac/files';
import { readRecord } from '@emac/runs';
import { alsoLong, isLong } from '@emac/testing';
import { describe, expect, it } from 'vitest';
import { emac, temporaryFolder, type Captured } from '../captured-io.test.fixture.ts';
import { emacProcess, isBuilt } from '../emac-process.test.fixture.ts';
import { copiedAt, runKilledAt } from '../killed-runs.test.fixture.ts';

const folder = temporaryFolder();
const small =
  '--rounds 2 --games-per-round 2 --max-steps 3 --updates-per-episode 1 --beams 1 --eval-games 0 --observe text --probe none'.split(
    ' ',
  );
const bc = ['train', '--phase', 'bc', ...small];
// two processes share the machine with anything else on it
const patience = 300_000;

/** Hashes of `metrics.jsonl` and of every file of every checkpoint of each run, by name. */
function bytesIn(out: string): Map<string, string> {
  const runs = readdirSync(out).filter((name) => !name.startsWith('.'));
  const files = runs.sort().flatMap((run, phase) => {
    const inside = readdirSync(join(out, run, 'checkpoints'), { recursive: true, encoding: 'utf8' });
    const steps = inside.filter((each) => each.includes('/')).map((each) => join('checkpoints', each));
    return ['metrics.jsonl', ...steps].map(
      (file) => [`${phase} ${file}`, sha256(readFileSync(join(out, run, file)))] as const,
    );
  });
  return new Map(files.sort());
}

/** Runs a command that waits for clients, and starts each client once it prints its address. */
async function withClients(argv: readonly string[], ...clients: readonly string[][]) {
  const { run, played } = await connected(argv, clients);
  for (const client of played) expect(client.status, client.stderr).toBe(0);
  expect(run.status, run.stderr).toBe(0);
  return run;
}

/** How a command and its clients ended. */
function connected(argv: readonly string[], clients: readonly string[][]) {
  return connectedTo([...argv, '--world', 'http', '--port', '0'], clients);
}

async function connectedTo(argv: readonly string[], clients: readonly string[][]) {
  const played: Promise<Captured>[] = [];
  let said = '';
  const run = await emac(argv, {
    onStderr: (text) => {
      said += text;
      const address = /--connect (http:\/\/[\d.:]+)/.exec(said)?.[1];
      if (address && played.length === 0)
        for (const client of clients) played.push(emac(['world', '--connect', address, ...client]));
    },
  });
  return { run, played: await Promise.all(played) };
}

const ownRuns = new Map<string, string>();

/** The folder of the run of a command in emac's own world, which is carried out once. */
async function ownRun(argv: readonly string[]): Promise<string> {
  const words = argv.join(' ');
  const known = ownRuns.get(words);
  if (known !== undefined) return known;
  const out = join(folder, `own-${ownRuns.size}`);
  const { status, stderr } = await emac([...argv, '--out', out]);
  expect(status, stderr).toBe(0);
  ownRuns.set(words, out);
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

describe('a world over HTTP', () => {
  it(
    'gives the bytes of the built-in world, over version 2',
    async () => {
      const own = await ownRun(bc);
      const remote = join(folder, 'version-2');
      await withClients([...bc, '--out', remote], []);
      expect(bytesIn(remote)).toEqual(bytesIn(own));
    },
    patience,
  );

  it(
    'gives the same bytes over the published wire, except for the growing list of games',
    async () => {
      const own = bytesIn(await ownRun(bc));
      const remote = join(folder, 'published');
      await withClients([...bc, '--out', remote], published);
      const there = bytesIn(remote);
      const differing = [...own.keys()].filter((name) => own.get(name) !== there.get(name));
      expect([...there.keys()]).toEqual([...own.keys()]);
      // the checkpoints before and after the first game
      expect(differing.length).toBeLessThanOrEqual(2);
      expect(differing.filter((name) => !name.endsWith('MANIFEST.json'))).toEqual([]);
    },
    patience,
  );

  it(
    'keeps port and clients through both phases',
    async () => {
      const out = join(folder, 'phases');
      const { stderr } = await withClients(['train', '--phase', 'bc,dpo', ...small, '--out', out], []);
      expect(readdirSync(out).filter((name) => !name.startsWith('.'))).toHaveLength(2);
      expect(stderr.match(/^client emac world: there$/gm)).toHaveLength(1);
    },
    patience,
  );

  it(
    'evaluates and collects with several clients at once, one with games of its own',
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
    [['--port', '7860'], '--port: belongs to --world http, which was not given'],
    [
      ['--world', 'http', '--games', 'x'],
      '--games: belongs to emac’s own world; with --world http the client has the games',
    ],
    [['--world', 'http', '--port', '0', '--expert', 'planner'], '--expert planner: reads game files'],
    [['--world', 'http', '--port', '0', '--dry-run'], '--dry-run: reads game files'],
    [
      ['--world', 'http', '--port', '0', '--host', '0.0.0.0'],
      '--host 0.0.0.0: is reachable from other machines',
    ],
  ])('rejects conflicting flags: %j', async (flags, why) => {
    const { status, stderr } = await emac([...bc, '--out', join(folder, 'refused'), ...flags]);
    expect([status, stderr.includes(why)]).toEqual([64, true]);
  });

  it('reports an address without an answer', async () => {
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

describe.skipIf(!isBuilt)('a run killed while clients play (needs the build)', () => {
  /** Killed at its seventh step; the client reconnects to the resumed run. */
  async function killedAndResumed(name: string, client: readonly string[]) {
    const out = join(folder, name);
    const address = `http://127.0.0.1:${await freePort()}`;
    const argv = [...bc, '--out', out, '--world', 'http', '--port', new URL(address).port];
    const killing = emacProcess(argv, { env: { EMAC_FAILPOINT: 'acting:7' } });
    const leaving = new AbortController();
    const playing = emac(['world', '--connect', address, ...client], { interruption: leaving });
    const killed = await killing;
    expect(killed.signal, killed.stderr).toBe('SIGKILL');
    // the killed process ran compiled code, this one runs sources
    const resumed = await emac(['train', '--resume', only(out), '--allow-drift']);
    expect(resumed.status, resumed.stderr).toBe(0);
    // the published wire cannot report the end of a run
    if (client.includes('--published')) leaving.abort();
    expect((await playing).status).toBe(leaving.signal.aborted ? 75 : 0);
    return out;
  }

  it(
    'resumes to the undisturbed run’s bytes, over version 2',
    async () => {
      const own = await ownRun(bc);
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

const rewarded = '--env alfworld --max-steps 3 --max-new-tokens 6 --lora-rank 2 --checkpoint-every 1'.split(
  ' ',
);
const byPpo = [...['train', '--method', 'ppo', ...rewarded], ...'--num-steps 2 --batch-size 2'.split(' ')];
const byGrpo = [
  ...['train', '--method', 'grpo', ...rewarded, '--eval-episodes', '1'],
  ...'--updates 2 --prompts-per-update 2 --group-size 2'.split(' '),
];

describe('reinforcement learning in a world over HTTP', () => {
  const ppo = (clients: number) =>
    `--num-processes ${clients} --steps ${8 * clients} --eval-episodes ${2 - clients}`.split(' ');

  const killedAt = 'updating:1';
  const copies = (method: string) => join(folder, `killed ${method}`);

  it.each<[string, number, readonly string[]]>([
    ['ppo', 1, [...byPpo, ...ppo(1)]],
    ['grpo', 1, [...byGrpo, '--parallel-episodes', '1']],
    ...alsoLong<[string, number, readonly string[]]>([['ppo', 2, [...byPpo, ...ppo(2)]]]),
  ])(
    '%s gives the same bytes as in the own world, with %i clients, and resumes to them on another port',
    async (method, clients, argv) => {
      const own = await ownRun(argv);
      const name = `${method} ${clients}`;
      const remote = join(folder, `remote ${name}`);
      const players = Array.from({ length: clients }, () => []);
      const work = () => withClients([...argv, '--clients', String(clients), '--out', remote], ...players);
      await copiedAt([killedAt], { out: remote, copies: copies(name), work });
      expect(bytesIn(remote)).toEqual(bytesIn(own));
      const [there, here] = [remote, own].map((out) => readRecord(only(out)).versions);
      expect(there!['games']).toMatch(/^[0-9a-f]{64}$/);
      expect(here).not.toHaveProperty('games');

      const killed = runKilledAt(killedAt, copies(name));
      expect(bytesIn(join(killed, '..'))).not.toEqual(bytesIn(own));
      const { run, played } = await connectedTo(['train', '--resume', killed, '--port', '0'], players);
      expect(run.status, run.stderr).toBe(0);
      expect(played.map(({ status }) => status)).toEqual(players.map(() => 0));
      expect(bytesIn(join(killed, '..'))).toEqual(bytesIn(own));
    },
    patience,
  );

  // the order in which clients answer decides which prompts share a batch, and so the last bits of probabilities
  it.runIf(isLong)(
    'grpo plays the same episodes with 2 clients as in the own world, to float32',
    async () => {
      const argv = [...byGrpo, '--parallel-episodes', '2'];
      const own = await ownRun(argv);
      const remote = join(folder, 'remote grpo 2');
      await withClients([...argv, '--clients', '2', '--out', remote], [], []);
      const [there, here] = [remote, own].map((out) =>
        readFileSync(join(only(out), 'metrics.jsonl'), 'utf8')
          .trim()
          .split('\n')
          .map((line) => JSON.parse(line) as Record<string, unknown>),
      );
      expect(there).toHaveLength(here!.length);
      here!.forEach((line, place) => {
        expect(Object.keys(there![place]!)).toEqual(Object.keys(line));
        for (const [name, value] of Object.entries(line))
          if (typeof value === 'number') expect(there![place]![name], name).toBeCloseTo(value, 4);
          else expect(there![place]![name], name).toEqual(value);
      });
    },
    patience,
  );

  it.each<[string, readonly string[]]>([
    ['ppo', [...byPpo, ...'--steps 4 --eval-episodes 0'.split(' ')]],
    ['grpo', byGrpo],
  ])(
    '%s says that a client of the published wire brings its own games',
    async (method, argv) => {
      const out = join(folder, `published ${method}`);
      const { run } = await connected([...argv, '--out', out], [published]);
      expect(run).toMatchObject({
        status: 64,
        stderr: expect.stringContaining('a client of the published wire chooses them itself'),
      });
      expect(existsSync(out)).toBe(false);
    },
    patience,
  );

  it.each<[readonly string[], string]>([
    [[...byPpo, '--num-processes', '3'], '--num-processes 3: must be at most --clients'],
    [[...byPpo, '--games', 'builtin:train'], '--games: belongs to emac’s own world'],
    [['ppo', '--env', 'tabletop/spatial'], '--world http: is for the games of ALFWorld'],
    [['grpo', '--role', 'speaker'], ', got --env lewis'],
  ])('is refused before anybody is waited for: %j', async (argv, message) => {
    const { status, stderr } = await emac([...argv, '--world', 'http']);
    expect([status, stderr]).toEqual([64, expect.stringContaining(message)]);
  });
});
