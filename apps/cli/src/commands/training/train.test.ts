/** Whole small runs: behaviour cloning, DPO, evaluation, and the contents of their folders. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { modelFolder } from '@emac/emma-tiny';
import { readRecord } from '@emac/runs';
import { builtinGame } from '@emac/world';
import { beforeAll, describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../../captured-io.test.fixture.ts';

const folder = temporaryFolder();
const small = [
  '--rounds',
  '2',
  '--games-per-round',
  '1',
  '--max-steps',
  '3',
  '--updates-per-episode',
  '1',
  '--beams',
  '1',
];

async function train(
  name: string,
  flags: readonly string[],
): Promise<{ run: string; stdout: string; stderr: string }> {
  const out = join(folder, name);
  const { status, stdout, stderr } = await emac(['train', ...small, '--out', out, ...flags]);
  expect(stderr).not.toContain('emac:');
  expect(status).toBe(0);
  return { run: join(out, readdirSync(out)[0]!), stdout, stderr };
}

function latest(run: string): string {
  return join(run, 'checkpoints', readFileSync(join(run, 'checkpoints', 'latest'), 'utf8').trim());
}

function lines(path: string): Record<string, unknown>[] {
  return readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
}

/** of the first game with a failed attempt */
function lessons(run: string): string[] {
  const state = JSON.parse(readFileSync(join(latest(run), 'state.json'), 'utf8')) as {
    training: { memories: [string, string[]][] };
  };
  return state.training.memories[0]![1];
}

let bc: Awaited<ReturnType<typeof train>>;

beforeAll(async () => {
  bc = await train('bc', ['--phase', 'bc', '--eval-games', '1']);
});

describe('emac train --phase bc', () => {
  it('leaves a complete run folder', () => {
    expect(existsSync(join(bc.run, 'DONE'))).toBe(true);
    const record = readRecord(bc.run);
    expect(record).toMatchObject({ status: 'done', phase: 'bc', seed: 0, versions: { provider: 'cpu' } });
    expect(record.versions['code']).toMatch(/^[0-9a-f]{64}$/);
    expect(record.versions['tensorflow']).toMatch(/gpu|node|wasm/);
    const metrics = lines(join(bc.run, 'metrics.jsonl'));
    // the probe before and after each of two rounds; one update after each episode of one game
    expect(metrics.map(({ kind }) => kind)).toEqual([
      'probe',
      'update',
      'probe',
      'round',
      'update',
      'probe',
      'round',
    ]);
    expect(readdirSync(join(bc.run, 'episodes'))).toEqual(['000000.jsonl', '000001.jsonl']);
    const [start] = lines(join(bc.run, 'episodes', '000000.jsonl'));
    expect(existsSync(join(bc.run, 'frames', String(start!['frame'])))).toBe(true);
  });

  it('keeps the reflection on a failed attempt in the state', () => {
    expect(lessons(bc.run)[0]).toContain('I did not finish');
  });

  it('prints the result and the next command', () => {
    expect(bc.stdout).toContain(`run: ${bc.run}`);
    expect(bc.stdout).toMatch(/probe loss .* \d+\.\d{4} .* \d+\.\d{4}/);
    expect(bc.stdout).toContain(`npx emac train --phase dpo --ref ${bc.run}`);
    expect(bc.stdout).toMatch(/time: opening .* in all/);
    const loss = lines(join(bc.run, 'metrics.jsonl')).filter(({ kind }) => kind === 'probe');
    expect(bc.stdout).toContain(Number(loss.at(-1)!['loss']).toFixed(4));
  });

  it('gives equal bytes for equal seeds, at any time and in any folder', async () => {
    const again = await train('again', ['--phase', 'bc', '--eval-games', '1']);
    const files = (run: string) =>
      [join(run, 'metrics.jsonl'), ...readdirSync(latest(run)).map((name) => join(latest(run), name))].map(
        (path) => readFileSync(path).toString('base64'),
      );
    expect(files(again.run)).toEqual(files(bc.run));
    expect(again.run.slice(-4)).toBe(bc.run.slice(-4));
  });
});

describe('emac train --expert planner', () => {
  it('labels with the first command of a shortest plan', async () => {
    const { run } = await train('planner', ['--phase', 'bc', '--expert', 'planner', '--eval-games', '0']);
    const [, step] = lines(join(run, 'episodes', '000000.jsonl'));
    expect(step!['label']).toMatch(/^go to /);
  });
});

describe('emac train --phase dpo', () => {
  it('starts from a run, with it as reference, and prints a command to evaluate', async () => {
    // barely trained, so that it differs from the expert
    const learned = ['--lr', '1e-9', '--eval-games', '0'];
    const { run: ref } = await train('hardly-bc', ['--phase', 'bc', ...learned]);
    const { run, stdout } = await train('dpo', ['--phase', 'dpo', '--ref', ref, '--eval-games', '0']);
    expect(lessons(run)[0]).toContain('I did not finish');
    const [first] = lines(join(run, 'metrics.jsonl'));
    expect(first).toMatchObject({ kind: 'probe' });
    // Policy and reference are the same numbers, read in other batches: the number of threads per batch decides the order of its sums. A command's log-
    // probability lies above −64, where neighbouring float32 are 2⁻¹⁸ apart: two of them times β = 0.1 are 8e-7.
    for (const name of ['margin', 'w_reward', 'l_reward'])
      expect(Math.abs(first![name] as number), name).toBeLessThan(1e-6);
    expect(stdout).toMatch(/mean margin W − L .* 0\.0000 /);
    expect(stdout).toContain(`npx emac eval --ckpt ${run}`);
    const manifest = (place: string) =>
      JSON.parse(readFileSync(join(latest(place), 'MANIFEST.json'), 'utf8')) as { games: string[] };
    expect(manifest(run).games).toEqual(manifest(ref).games);
  });

  it('takes a run’s mlp projection without a flag', async () => {
    const mlp = ['--projection', 'mlp', '--projection-hidden', '8', '--eval-games', '0'];
    const { run } = await train('mlp', ['--phase', 'bc', ...mlp]);
    const refused = await emac([
      'train',
      '--phase',
      'dpo',
      '--ref',
      run,
      '--projection',
      'linear',
      '--out',
      join(folder, 'no'),
    ]);
    expect([refused.status, existsSync(join(folder, 'no'))]).toEqual([64, false]);
    const { status } = await emac(['eval', '--ckpt', run, '--num-games', '1', '--json']);
    expect(status).toBe(0);
  });
});

describe('emac eval', () => {
  it('evaluates a copied checkpoint folder to the numbers of training', async () => {
    const copy = join(folder, 'copy');
    cpSync(latest(bc.run), copy, { recursive: true });
    const out = join(folder, 'results', 'mine.json');
    const { status, stdout } = await emac([
      'eval',
      '--ckpt',
      copy,
      '--num-games',
      '1',
      '--json',
      '--out',
      out,
    ]);
    expect(status).toBe(0);
    const result = JSON.parse(stdout) as { games: object[] };
    const after = JSON.parse(readFileSync(join(bc.run, 'eval.json'), 'utf8')) as { games: object[] };
    expect(result.games).toEqual(after.games);
    expect(JSON.parse(readFileSync(out, 'utf8'))).toEqual(result);
  });

  it('counts games seen in training apart', async () => {
    const state = JSON.parse(readFileSync(join(latest(bc.run), 'MANIFEST.json'), 'utf8')) as {
      games: string[];
    };
    const index = Number(/(\d{4})$/.exec(state.games[0]!)![1]);
    const place = join(folder, 'seen', state.games[0]!);
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, 'game.tw-pddl'), JSON.stringify(builtinGame('train', index).file));
    const { stdout } = await emac(['eval', '--ckpt', bc.run, '--games', join(folder, 'seen')]);
    expect(stdout).toContain(`seen in training, counted apart: 0 % (0 of 1): ${state.games[0]!}`);
  });

  it('rejects a damaged checkpoint and one of another model with 65', async () => {
    const damaged = join(folder, 'damaged');
    cpSync(latest(bc.run), damaged, { recursive: true });
    const path = join(damaged, 'projection.safetensors');
    const bytes = readFileSync(path);
    bytes[bytes.length - 1]! ^= 1;
    writeFileSync(path, bytes);
    const first = await emac(['eval', '--ckpt', damaged]);
    expect(first).toMatchObject({ status: 65, stdout: '' });
    expect(first.stderr).toContain('projection.safetensors');

    const other = join(folder, 'other-model');
    cpSync(modelFolder, other, { recursive: true });
    const weights = readFileSync(join(other, 'model.safetensors'));
    weights[weights.length - 1]! ^= 1;
    writeFileSync(join(other, 'model.safetensors'), weights);
    const second = await emac(['eval', '--ckpt', bc.run, '--model', other]);
    expect(second).toMatchObject({ status: 65, stdout: '' });
    expect(second.stderr).toContain('another model');
  });
});

describe('a stopped or failed run', () => {
  it('is recorded as such', async () => {
    const interruption = new AbortController();
    const out = join(folder, 'stopped');
    const argv = ['train', '--phase', 'bc', ...small, '--eval-games', '0', '--out', out];
    const onStderr = (text: string) => {
      if (text.startsWith('training')) interruption.abort();
    };
    const { status } = await emac(argv, { interruption, onStderr });
    expect(status).toBe(75);
    const run = join(out, readdirSync(out)[0]!);
    expect(readRecord(run).status).toBe('interrupted');
    expect(existsSync(join(run, 'DONE'))).toBe(false);
  });

  it('is recorded as failed after a rejected key, without writing the key', async () => {
    await using server = await languageServer(() => ({ status: 401, body: { error: { message: 'no' } } }));
    const { status, stderr, run } = await trainWithLanguageModel('refused', server.address);
    expect(status).toBe(77);
    expect(readRecord(run).status).toBe('failed');
    expect(stderr + readFileSync(join(run, 'run.json'), 'utf8')).not.toContain('sk-secret');
  });
});

describe('emac train --expert openai', () => {
  it('labels and reflects with the language model, and keeps every reply', async () => {
    const replies = ['look', 'inventory'];
    let asked = 0;
    await using server = await languageServer(() => ({
      status: 200,
      body: {
        choices: [{ message: { role: 'assistant', content: replies[asked++ % 2] }, finish_reason: 'stop' }],
      },
    }));
    const { status, run } = await trainWithLanguageModel('taught', server.address);
    expect(status).toBe(0);
    const kept = lines(join(run, 'llm.jsonl'));
    expect(kept).toHaveLength(asked);
    expect(kept.map(({ text }) => text)).toEqual(kept.map((_, index) => replies[index % 2]));
    const [, step] = lines(join(run, 'episodes', '000000.jsonl'));
    expect(replies).toContain(step!['label']);
    expect(readFileSync(join(run, 'config.yaml'), 'utf8')).not.toContain('sk-secret');
  });
});

async function trainWithLanguageModel(name: string, address: string) {
  const out = join(folder, name);
  const expert = ['--expert', 'openai', '--expert-model', 'x', '--expert-base-url', `${address}/v1`];
  const env = { OPENAI_API_KEY: 'sk-secret' };
  const result = await emac(
    ['train', '--phase', 'bc', ...small, ...expert, '--eval-games', '0', '--out', out],
    { env },
  );
  return { ...result, run: join(out, readdirSync(out)[0]!) };
}

async function languageServer(answer: () => { status: number; body: object }) {
  const server = createServer((_request, response) => {
    const { status, body } = answer();
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}
