/** `emac lewis listener` and `speaker` with a scripted model, on a real port. */
import { Readable } from 'node:stream';
import { connectListener, listenerService, type Pictures } from '@emac/bridge';
import { agreement, thingOf, type Listener } from '@emac/lewis';
import { describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../../captured-io.test.fixture.ts';
import { readValues } from '../../options/option.ts';
import type { Io } from '../../terminal/io.ts';
import { lewisOptions, serveLewis, type LewisService, type LewisValues } from './service.ts';

const folder = temporaryFolder();

const listener: Listener = {
  identity: async () => 'agreement 1',
  ask: async (questions) => ({
    answers: questions.map(({ picture, question }) => agreement(question, thingOf(picture))),
    identity: 'agreement 1',
  }),
};

/** The command with its output so far, and a promise of its first output. */
function captured(env: Io['env'] = {}) {
  const stopping = new AbortController();
  const written: string[] = [];
  const heard: (() => void)[] = [];
  const writer = {
    write: (text: string) => {
      written.push(text);
      heard.splice(0).forEach((tell) => tell());
    },
    isTerminal: false,
    columns: 100,
    isClosed: false,
  };
  const io: Io = {
    stdout: writer,
    stderr: { ...writer, write: () => {} },
    stdin: Readable.from([]),
    env,
    now: () => 0,
    catchInterruption: () => stopping.signal,
  };
  const line = async (): Promise<string> => {
    while (written.length === 0) await new Promise<void>((resolve) => heard.push(resolve));
    return written[0]!;
  };
  return { io, stopping, line };
}

function valuesOf(typed: Readonly<Record<string, string>>): LewisValues {
  const { values, problems } = readValues(lewisOptions({ who: 'Listener', port: 9000 }), typed);
  expect(problems).toEqual([]);
  return values;
}

describe('serveLewis', () => {
  it('answers 503 while the model opens, then like the published service, until stopped', async () => {
    const { io, stopping, line } = captured({ LISTENER_BATCH_SIZE: '2', INFERENCE_CONCURRENCY: '3' });
    let open = (): void => {};
    const opening = new Promise<void>((resolve) => (open = resolve));
    const seen: { model?: string; ckpt?: string | null; pictures?: Pictures; disposed: boolean } = {
      disposed: false,
    };
    const sizes: number[][] = [];
    const role: LewisService = {
      who: 'Listener',
      open: async ({ model, ckpt, pictures }) => {
        Object.assign(seen, { model, ckpt, pictures });
        await opening;
        return {
          name: 'tiny',
          service: (options) => {
            sizes.push([options.concurrency, options.acquireTimeoutMs, options.batchSize]);
            return listenerService({ ...options, listener });
          },
          dispose: async () => void (seen.disposed = true),
        };
      },
    };
    // a port that is free now
    const port = await freePort();
    const values = valuesOf({ port: String(port), model_name: 'Qwen2-VL-7B', concurrency: '1' });
    const ended = serveLewis(values, io, role);
    const health = `http://127.0.0.1:${port}/health`;
    while (seen.model === undefined) await new Promise((resolve) => setImmediate(resolve));
    const loading = await fetch(health);
    expect([loading.status, loading.headers.get('retry-after')]).toEqual([503, '5']);
    open();
    expect(await line()).toBe(`listener tiny: http://127.0.0.1:${port}\n`);
    expect(await (await fetch(health)).json()).toEqual({
      status: 'ok',
      model: 'tiny',
      queue: 0,
      identity: 'agreement 1',
    });
    const client = connectListener(`http://127.0.0.1:${port}/batch_score`);
    const asked = { picture: 'drawn/ball/red-plain-no/0', question: 'a red plain ball, no edge' };
    expect((await client.ask([asked])).answers).toEqual([1]);
    stopping.abort();
    expect(await ended).toBe(0);
    expect(seen).toMatchObject({ model: 'Qwen2-VL-7B', ckpt: null, disposed: true });
    // flags before variables
    expect(sizes).toEqual([[1, 300_000, 2]]);
  });
});

async function freePort(): Promise<number> {
  const { createServer } = await import('node:net');
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

describe('emac lewis', () => {
  it.each([
    [['--device', 'cuda'], 64, '--device cuda: only the processor is supported'],
    [['--use_8bit'], 64, '--use_8bit: weights are used as stored; leave it out'],
    [['--model', 'a', '--model_name', 'b'], 64, '--model: was given 2 times (as --model or --model_name)'],
    [['--pictures', `${folder}/nowhere`], 66, 'nowhere: must be a folder, it does not exist'],
    [['--host', '0.0.0.0', '--port', '0'], 64, 'is reachable from other machines; name a file with a token'],
    [['--concurrency', '0'], 64, '--concurrency: must be a whole number from 1 to 1024, got "0"'],
  ])('rejects %j', async (words, status, why) => {
    for (const role of ['listener', 'speaker']) {
      const ended = await emac(['lewis', role, ...words]);
      expect([ended.status, ended.stdout]).toEqual([status, '']);
      expect(ended.stderr).toContain(why);
    }
  });

  it('rejects invalid variables', async () => {
    const env = { INFERENCE_ACQUIRE_TIMEOUT: 'long' };
    const { status, stderr } = await emac(['lewis', 'speaker', '--port', '0'], { env });
    expect(status).toBe(64);
    expect(stderr).toContain('INFERENCE_ACQUIRE_TIMEOUT: must be a number from 0 to 1000000, got "long"');
  });
});
