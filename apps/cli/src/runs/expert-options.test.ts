/** Flags of the expert in a run: budget, replay, an unreachable service, noise, and rejected keys. */
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { readRecord } from '@emac/runs';
import { describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../captured-io.test.fixture.ts';

const folder = temporaryFolder();
const key = 'sk-CANARY-4f9a2c71d8';
const small = ['--games-per-round', '1', '--rounds', '1', '--updates-per-episode', '1', '--probe', 'none'];
const quick = ['--batch-size', '1', '--accumulate', '1', '--eval-games', '0'];
const bc = ['train', '--phase', 'bc', ...small, ...quick, '--max-steps', '2'];
const openai = ['--expert', 'openai', '--expert-model', 'teacher'];

function place(name: string): { out: string; run: () => string } {
  const out = join(folder, name);
  return { out, run: () => join(out, readdirSync(out)[0]!) };
}

function journal(run: string): { text: string }[] {
  const lines = readFileSync(join(run, 'llm.jsonl'), 'utf8').trim().split('\n');
  return lines.map((line) => JSON.parse(line) as { text: string });
}

async function languageServer(answer: (asked: number) => { status: number; content: string }) {
  const keys = new Set<string | undefined>();
  let asked = 0;
  const server = createServer((request, response) => {
    keys.add(request.headers.authorization);
    const { status, content } = answer(++asked);
    const usage = { prompt_tokens: 1500, completion_tokens: 10 };
    const body = { choices: [{ message: { content }, finish_reason: 'stop' }], usage };
    request.resume().on('end', () => {
      // down for longer than a call may take: no second call, so the test waits for nothing
      const headers = { 'content-type': 'application/json', 'retry-after': '3600' };
      response.writeHead(status, headers).end(JSON.stringify(body));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    address: ['--expert-base-url', `http://127.0.0.1:${port}/v1`],
    keys,
    asked: () => asked,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

const looking = () => ({ status: 200, content: 'look' });

describe('emac train --expert openai', () => {
  it('stops at its budget with 75, never exceeds it, and resumes with a higher one', async () => {
    await using server = await languageServer(looking);
    const { out, run } = place('budget');
    // a call takes 1510 tokens; the next reserves its prompt, of more than 490, and the answer
    const budget = ['--expert-max-tokens-total', '2000', '--expert-answer-tokens', '10'];
    const begun = await emac([...bc, ...openai, ...server.address, ...budget, '--out', out]);
    expect([begun.status, readRecord(run()).status]).toEqual([75, 'interrupted']);
    expect(begun.stderr).toContain('1510 of 2000 tokens are used');
    const asked = server.asked();
    const again = await emac(['train', '--resume', run()]);
    expect([again.status, server.asked()]).toEqual([75, asked]);
    const raised = await emac(['train', '--resume', run(), '--expert-max-tokens-total', '1000000']);
    expect(raised).toMatchObject({ status: 0 });
    expect(journal(run())).toHaveLength(server.asked());
  });

  it('stops with 75 and a checkpoint if the service is down, and resumes later', async () => {
    let isDown = false;
    await using server = await languageServer((asked) => {
      isDown ||= asked === 2;
      return { ...looking(), status: isDown ? 503 : 200 };
    });
    const { out, run } = place('down');
    const begun = await emac([...bc, ...openai, ...server.address, '--expert-deadline', '100', '--out', out]);
    expect([begun.status, readRecord(run()).status]).toEqual([75, 'interrupted']);
    expect(begun.stderr).toContain('3 calls in a row failed');
    isDown = false;
    const again = await emac(['train', '--resume', run()]);
    expect(again.status).toBe(0);
  });

  it('repeats a run from its replies, to the same bytes, without key and network', async () => {
    const recorded = place('recorded');
    {
      await using server = await languageServer((asked) => ({
        status: 200,
        content: asked % 2 ? 'look' : 'inventory',
      }));
      const { status } = await emac([...bc, ...openai, ...server.address, '--out', recorded.out]);
      expect(status).toBe(0);
    }
    const replies = ['--expert', 'openai', '--expert-replay', join(recorded.run(), 'llm.jsonl')];
    const repeated = place('repeated');
    expect((await emac([...bc, ...replies, '--out', repeated.out])).status).toBe(0);
    for (const file of ['metrics.jsonl', 'llm.jsonl'])
      expect(readFileSync(join(repeated.run(), file))).toEqual(readFileSync(join(recorded.run(), file)));
    const other = await emac([...bc, ...replies, '--seed', '1', '--out', join(folder, 'other')]);
    expect(other.status).toBe(65);
    expect(other.stderr).toContain('has no further reply for this request');
  });

  it('reports long prompts once a game, and repaired commands', async () => {
    await using server = await languageServer(() => ({ status: 200, content: 'go to garbagecann 1' }));
    const { out, run } = place('told');
    // two examples of some hundred tokens each do not fit beside rules and task
    const tight = ['--expert-context', '1100', '--expert-answer-tokens', '400', '--repair-actions'];
    const { status, stderr, stdout } = await emac([
      ...bc,
      ...openai,
      ...server.address,
      ...tight,
      '--out',
      out,
    ]);
    expect([status, stderr.match(/so it lacks [12] example/g)]).toMatchObject([0, { length: 1 }]);
    expect(stderr).toMatch(/\d+ expert's commands? repaired/);
    const lines = readFileSync(join(run(), 'events.jsonl'), 'utf8').trim().split('\n');
    const events = lines.map((line) => JSON.parse(line) as { kind: string });
    expect(events.filter(({ kind }) => kind === 'prompt-shortened')).toHaveLength(1);
    expect(events.filter(({ kind }) => kind === 'command-repaired')[0]).toMatchObject({
      said: 'go to garbagecann 1',
      command: 'go to garbagecan 1',
      distance: 1,
    });
    const repairs = events.filter(({ kind }) => kind === 'command-repaired').length;
    const round = readFileSync(join(run(), 'metrics.jsonl'), 'utf8').trim().split('\n').at(-1)!;
    expect(JSON.parse(round)).toMatchObject({ kind: 'round', repairs });
    expect(stdout).toContain(`labels with a repaired command: ${repairs} `);
  });

  it('reports steps without a label, and fails if none had one', async () => {
    await using server = await languageServer(() => ({ status: 200, content: 'I am a banana.' }));
    const { out, run } = place('bananas');
    const { status, stdout, stderr } = await emac([...bc, ...openai, ...server.address, '--out', out]);
    expect([status, stdout, readRecord(run()).status]).toEqual([2, '', 'failed']);
    expect(stderr).toContain('0 of 1 won, 0 samples, 0 updates, 2 steps without a label');
    expect(stderr).toContain("emac: training: none of the expert's 2 replies was usable");
  });

  it('takes its key from a private file, and never prints it', async () => {
    await using server = await languageServer(looking);
    const path = join(folder, 'key');
    writeFileSync(path, `${key}\n`);
    const env = { OPENAI_API_KEY_FILE: path, OPENAI_LOG: 'debug' };
    const { out, run } = place('key-file');
    const argv = [...bc, ...openai, ...server.address, '--out', out];
    chmodSync(path, 0o644);
    const refused = await emac(argv, { env });
    expect([refused.status, existsSync(out)]).toEqual([77, false]);
    expect(refused.stderr).toContain('chmod 600');
    chmodSync(path, 0o600);
    const { status, stdout, stderr } = await emac(argv, { env });
    expect([status, ...server.keys]).toEqual([0, `Bearer ${key}`]);
    const files = readdirSync(run(), { recursive: true, withFileTypes: true }).filter((each) =>
      each.isFile(),
    );
    expect(files.length).toBeGreaterThan(8);
    const told = files.map((each) => readFileSync(join(each.parentPath, each.name), 'latin1'));
    for (const text of [stdout, stderr, ...told]) expect(text).not.toContain('CANARY');
  });

  it.each([
    [64, ['--expert-budget', '5'], '--expert-price-in'],
    [64, ['--expert-context', '1024', '--expert-answer-tokens', '1024'], '--expert-context'],
    [64, ['--expert-noise', '0.1'], '--expert-noise'],
    [66, ['--expert-replay', join(folder, 'none.jsonl')], 'none.jsonl'],
  ] as const)('refuses with %i %j', async (status, flags, said) => {
    const out = join(folder, 'refused');
    const result = await emac([
      ...bc,
      ...openai,
      '--expert-base-url',
      'http://127.0.0.1:9/v1',
      ...flags,
      '--out',
      out,
    ]);
    expect([result.status, existsSync(out)]).toEqual([status, false]);
    expect(result.stderr).toContain(said);
  });
});

it.each([['--api-key', key], [`--api-key=${key}`], ['--openai-api-key', key], ['--expert-api-key', key]])(
  'rejects a key on the command line without repeating it: %s',
  async (...words) => {
    const { status, stderr } = await emac([...bc, ...words]);
    expect(status).toBe(64);
    expect(stderr).toContain('OPENAI_API_KEY');
    expect(stderr).not.toContain('CANARY');
  },
);

describe('emac train --expert-noise', () => {
  it('is kept in the configuration, and gives equal runs for equal seeds', async () => {
    const runs = [];
    for (const name of ['noisy', 'noisy-again']) {
      const { out, run } = place(name);
      expect((await emac([...bc, '--expert-noise', '1', '--out', out])).status).toBe(0);
      runs.push(readFileSync(join(run(), 'metrics.jsonl'), 'utf8'));
      expect(readFileSync(join(run(), 'config.yaml'), 'utf8')).toMatch(/^ {2}noise: 1$/m);
    }
    expect(runs[1]).toBe(runs[0]);
    const { out, run } = place('silent');
    await emac([...bc, '--out', out]);
    expect(readFileSync(join(run(), 'metrics.jsonl'), 'utf8')).not.toBe(runs[0]);
  });

  it('takes a probability, and works with scripted experts only', async () => {
    const { status, stderr } = await emac([...bc, '--expert-noise', '1.5']);
    expect([status, stderr]).toEqual([64, expect.stringContaining('from 0 to 1')]);
  });
});
