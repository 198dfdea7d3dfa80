/** Collections over worker processes on a real Redis, and labels that stay with the trainer: kills change no byte. Needs the build. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { isLong } from '@emac/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { emac, temporaryFolder } from '../captured-io.test.fixture.ts';
import { emacProcess, isBuilt, once } from '../emac-process.test.fixture.ts';
import { freePort, hasRedis, needsRedis, startRedis } from '../redis-server.test.fixture.ts';
import { runIn, startWorker } from '../worker-processes.test.fixture.ts';

const folder = temporaryFolder();

function freshFolder(name: string): string {
  const path = join(folder, name);
  mkdirSync(path);
  return path;
}

const hashOf = (bytes: Buffer | string): string => createHash('sha256').update(bytes).digest('hex');

/** Hashes of the collected files; replies are compared as a set, their order may vary. */
function filesIn(out: string): Record<string, string> {
  const files = readdirSync(out, { recursive: true, withFileTypes: true }).filter((each) => each.isFile());
  const entries = files.map((each) => {
    const bytes = readFileSync(join(each.parentPath, each.name));
    const sorted = each.name === 'llm.jsonl' ? bytes.toString().split('\n').sort().join('\n') : bytes;
    return [join(each.parentPath, each.name).slice(out.length), hashOf(sorted)] as const;
  });
  return Object.fromEntries(entries.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/** Runs and jobs on a queue. */
async function heldBy(url: string): Promise<{ readonly runs: string[]; readonly counts: object }> {
  const { bullQueue } = await import('@emac/queue');
  const queue = await bullQueue(url);
  try {
    return { runs: await queue.runs(), counts: await queue.counts() };
  } finally {
    await queue.close();
  }
}

const games = ['collect', '--num-games', '6', '--max-steps', '6', '--expert-noise', '0.3', '--beams', '1'];
const robot = [
  ...['collect', '--env', 'tabletop/spatial', '--num-samples', '60', '--max-steps', '8'],
  ...['--label-noise', '0.2', '--val-share', '0.3'],
];

// experiment's tests of collections try stops instead of kills, over workers in one process
describe.runIf(isLong && isBuilt && hasRedis)(`collections over worker processes (${needsRedis})`, () => {
  it.each([
    // around the second game; and after the last one, before its result is written
    ['pairs of games', [...games, '--phase', 'dpo', '--act-with', 'mixture'], 'appended:4'],
    ['games', games, 'appended:8'],
    ['demonstrations', robot, 'file-written:2'],
    ['demonstrations in RLDS form', [...robot, '--format', 'rlds'], 'file-written:2'],
  ] as const)(
    '%s: gives the same dataset after a worker and the collector are killed',
    async (name, words, place) => {
      const own = freshFolder(name);
      const [alone, over] = [join(own, 'alone'), join(own, 'over')];
      expect(await emac([...words, '--out', alone])).toMatchObject({ status: 0 });
      const redis = await startRedis();
      const queue = ['--queue', redis.url, '--shared', join(own, 'shared')];
      const worker = startWorker(queue);
      const replaced = worker.hasSaid(/played/).then(() => {
        worker.child.kill('SIGKILL');
        return [startWorker(queue), startWorker(queue)];
      });
      const asked = [...words, '--out', over, ...queue];
      const killed = await emacProcess(asked, { env: { EMAC_FAILPOINT: place } });
      expect(killed.signal).toBe('SIGKILL');
      expect(existsSync(join(over, 'train.json'))).toBe(false);
      expect(await emacProcess(asked)).toMatchObject({ status: 0 });
      expect(filesIn(over)).toEqual(filesIn(alone));
      const workers = await replaced;
      for (const { child } of workers) child.kill('SIGTERM');
      expect(await Promise.all(workers.map(({ ended }) => ended))).toEqual([0, 0]);
    },
  );

  it('stop on request with 75, with and without a worker, and resume', async () => {
    const own = freshFolder('stopped');
    const redis = await startRedis();
    const queue = ['--queue', redis.url, '--shared', join(own, 'shared')];
    for (const [name, words] of [
      ['games', games],
      ['robot', robot],
    ] as const) {
      const out = ['--out', join(own, name)];
      const waits = once(/no worker is running/, (child) => child.kill('SIGTERM'));
      const { status, stderr } = await emacProcess([...words, ...out, ...queue], waits);
      expect([status, stderr]).toEqual([75, expect.stringMatching(/^emac: .*stopped/m)]);
      expect((await heldBy(redis.url)).counts).toEqual({ waiting: 0, leased: 0 });
    }
    const worker = startWorker(queue);
    const [name, ...rest] = games;
    const asked = [name!, ...rest, '--out', join(own, 'games'), ...queue];
    expect(await emacProcess(asked)).toMatchObject({ status: 0 });
    // nothing is left on the queue
    expect(await heldBy(redis.url)).toEqual({ runs: [], counts: { waiting: 0, leased: 0 } });
    worker.child.kill('SIGTERM');
    expect(await worker.ended).toBe(0);
    expect(worker.said()).toMatch(/played collect-[0-9a-f]{16}\.[0-9a-f]{12}\.collected/);
  });
});

/** A language model with a reply for each prompt; records the keys of its callers. */
async function languageServer(answered: (count: number) => void = () => {}) {
  const keys = new Set<string | undefined>();
  const asked: string[] = [];
  const commands = ['look', 'inventory', 'go to shelf 1', 'go to bed 1'];
  const server = createServer((request, response) => {
    keys.add(request.headers.authorization);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      asked.push(hashOf(text));
      const content = commands[Buffer.from(hashOf(text), 'hex')[0]! % commands.length];
      const usage = { prompt_tokens: 10, completion_tokens: 3 };
      const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }];
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ choices, usage }));
      answered(asked.length);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const address = `http://127.0.0.1:${port}/v1`;
  return {
    words: ['--expert', 'openai', '--expert-model', 'teacher', '--expert-base-url', address],
    keys,
    asked,
  };
}

const learning = [
  ...[
    'train',
    '--phase',
    'bc',
    '--games-per-round',
    '3',
    '--rounds',
    '2',
    '--max-steps',
    '4',
    '--beams',
    '1',
  ],
  ...['--episodes-per-update', '3', '--updates-per-episode', '1', '--batch-size', '2', '--eval-games', '1'],
];
const key = 'sk-CANARY-81c2d9';
const withKey = { env: { OPENAI_API_KEY: key } };

describe.skipIf(!isBuilt || !hasRedis)(`labels computed by the trainer (${needsRedis})`, () => {
  it.runIf(isLong)(
    'of a language model: equal bytes after the trainer is killed, and workers have no key',
    async () => {
      const own = freshFolder('paid');
      const [alone, over] = [join(own, 'alone'), join(own, 'over')];
      const server = await languageServer();
      const whole = await emacProcess([...learning, ...server.words, '--out', alone, '--quiet'], withKey);
      expect(whole).toMatchObject({ status: 0 });
      const redis = await startRedis();
      const queue = ['--queue', redis.url, '--shared', join(own, 'shared')];
      const worker = startWorker(queue);
      const other = await languageServer();
      // the address alone needs no key; the test gives one to see that it never leaves the trainer
      const killing = once(/samples/, (child) => child.kill('SIGKILL'));
      const killed = await emacProcess([...learning, ...other.words, '--out', over, ...queue, '--verbose'], {
        ...withKey,
        ...killing,
      });
      expect(killed.signal).toBe('SIGKILL');
      const { run } = runIn(over);
      const resumed = await emacProcess(['train', '--resume', run, ...queue, '--quiet'], withKey);
      expect(resumed).toMatchObject({ status: 0 });
      expect(runIn(over).content).toEqual(runIn(alone).content);
      expect([...new Set(other.asked)].sort()).toEqual([...new Set(server.asked)].sort());
      const ofReplies = (place: string) =>
        readFileSync(join(runIn(place).run, 'llm.jsonl'), 'utf8')
          .split('\n')
          .sort();
      expect(ofReplies(over)).toEqual(ofReplies(alone));
      worker.child.kill('SIGTERM');
      expect(await worker.ended).toBe(0);
      expect(worker.said()).not.toContain('CANARY');
      const shared = readdirSync(join(own, 'shared'), { recursive: true, withFileTypes: true });
      for (const each of shared.filter((file) => file.isFile()))
        expect(readFileSync(join(each.parentPath, each.name)).includes('CANARY')).toBe(false);
    },
  );

  it.runIf(isLong)(
    'of a custom expert: in training and in a collection, without its code on workers',
    async () => {
      const own = freshFolder('own-code');
      const path = join(own, 'mine.mjs');
      writeFileSync(path, 'export const label = async ({ admissible }) => admissible.at(-1);\n');
      const redis = await startRedis();
      const queue = ['--queue', redis.url, '--shared', join(own, 'shared')];
      const worker = startWorker(queue);
      const expert = ['--expert', path];
      const [alone, over] = [join(own, 'alone'), join(own, 'over')];
      expect(await emacProcess([...learning, ...expert, '--out', alone, '--quiet'])).toMatchObject({
        status: 0,
      });
      const trained = await emacProcess([...learning, ...expert, '--out', over, ...queue, '--quiet']);
      expect(trained).toMatchObject({ status: 0 });
      expect(runIn(over).content).toEqual(runIn(alone).content);
      const collecting = [...games, ...expert, '--act-with', 'student'];
      const places = [join(own, 'collected-alone'), join(own, 'collected-over')] as const;
      expect(await emacProcess([...collecting, '--out', places[0]])).toMatchObject({ status: 0 });
      expect(await emacProcess([...collecting, '--out', places[1], ...queue])).toMatchObject({ status: 0 });
      expect(filesIn(places[1])).toEqual(filesIn(places[0]));
      expect(worker.said()).toMatch(/training [^]*collected /);
    },
  );
});

describe.skipIf(!hasRedis)(`a collection unsuited to workers (${needsRedis})`, () => {
  it('is rejected in a sentence (64), by a dry run too', async () => {
    const own = freshFolder('refused');
    const path = join(own, 'mine.mjs');
    writeFileSync(path, 'export const label = () => null;\n');
    const redis = await startRedis();
    const queue = ['--queue', redis.url, '--shared', join(own, 'shared')];
    const openai = ['--expert', 'openai', '--expert-model', 'x'];
    const cards = ['--env', 'gym_cards/NumberLine-v0'];
    const refused: readonly (readonly [readonly string[], RegExp])[] = [
      [openai, /labels of --expert openai .*--act-with student/],
      [[...openai, '--dry-run'], /labels of --expert openai .*--act-with student/],
      [['--expert', path, '--act-with', 'mixture'], /labels of --expert .*mine\.mjs/],
      [['--world', 'http'], /with --world http clients bring the games/],
      [[...cards, ...openai], /whose labels are the actions/],
      [['--rlds', 'somewhere'], /--queue: belongs to playing/],
    ];
    const out = join(own, 'out');
    for (const [words, sentence] of refused) {
      const { status, stderr } = await emac(['collect', ...words, '--out', out, ...queue], withKey);
      expect([status, stderr]).toEqual([64, expect.stringMatching(sentence)]);
    }
    const { status, stdout } = await emac([...games, '--out', out, ...queue, '--dry-run']);
    expect([status, stdout]).toEqual([
      0,
      expect.stringMatching(/queue: Redis answers.*no worker is running/),
    ]);
    expect(existsSync(out)).toBe(false);
  });
});

describe('a queue that cannot be used', () => {
  it('gives one sentence: 69 without an answer, 64 without a folder', async () => {
    const own = freshFolder('nowhere');
    const away = ['--queue', `redis://127.0.0.1:${await freePort()}`];
    for (const words of [games, robot]) {
      const argv = [...words, '--out', join(own, 'out'), ...away];
      const { status, stderr } = await emac([...argv, '--shared', join(own, 'shared')]);
      expect([status, stderr.trim().split('\n')]).toEqual([
        69,
        [expect.stringMatching(/^emac: queue at redis/)],
      ]);
      expect((await emac(argv)).status).toBe(64);
    }
    expect(existsSync(join(own, 'out'))).toBe(false);
  });
});
