/** `emac serve` as a process: requests of OpenAI's official client, an expert, a player and strangers. Needs the compiled command. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { get, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openAgent } from '@emac/experiment';
import { encodePng } from '@emac/images';
import { kindOf, loadEnvironmentModule, plainHost } from '@emac/opening';
import OpenAI, { APIError } from 'openai';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../captured-io.test.fixture.ts';
import { isBuilt, program } from '../emac-process.test.fixture.ts';

const folder = temporaryFolder();
const started: ChildProcess[] = [];
afterAll(() => started.forEach((child) => child.kill('SIGKILL')));

interface Served {
  readonly child: ChildProcess;
  /** such as http://127.0.0.1:40000 */
  readonly address: string;
  readonly port: number;
  /** resolves when standard error has the text */
  said(text: string): Promise<void>;
  /** exit status */
  readonly ended: Promise<number | null>;
}

/** On a new connection. */
async function statusBy(url: string): Promise<number | undefined> {
  const [answer] = (await once(get(url, { agent: false }), 'response')) as [IncomingMessage];
  answer.resume();
  return answer.statusCode;
}

/** Serves emma-tiny on a free port. */
async function serve(beams: number, env: Record<string, string> = {}): Promise<Served> {
  const words = ['serve', '--ckpt', 'emma-tiny', '--beams', String(beams), '--port', '0'];
  const child = spawn(process.execPath, [program, ...words], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  started.push(child);
  const written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    child[name].on('data', (chunk: Buffer) => {
      written[name] += chunk.toString();
    });
  const seen = async (name: keyof typeof written, text: RegExp): Promise<RegExpExecArray> => {
    for (;;) {
      const found = text.exec(written[name]);
      if (found) return found;
      if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}: ${written.stderr}`);
      await Promise.race([once(child[name], 'data'), once(child, 'close')]);
    }
  };
  const ended = once(child, 'close').then(([status]) => status as number | null);
  const [, address] = await seen('stdout', /^serving emma-tiny: (http:\/\/\S+)\/v1$/m);
  return {
    child,
    address: address!,
    port: Number(new URL(address!).port),
    said: async (text) => void (await seen('stderr', new RegExp(text))),
    ended,
  };
}

const room = `You are in the middle of a room. Looking quickly around you, you see a bed 1, a desk 1, and a drawer 1.
Your task is to: put a pen in desk.`;
const messages = [{ role: 'user', content: room }] as const;
const model = 'emma-tiny';

describe.skipIf(!isBuilt)('emac serve (needs the build)', () => {
  let served: Served;
  let client: OpenAI;

  beforeAll(async () => {
    served = await serve(1);
    client = new OpenAI({ baseURL: `${served.address}/v1`, apiKey: 'none', maxRetries: 0 });
  });

  describe('for OpenAI’s client', () => {
    it('names its model', async () => {
      const names: string[] = [];
      for await (const each of client.models.list()) names.push(each.id);
      expect(names).toEqual([model]);
      expect((await client.models.retrieve(model)).object).toBe('model');
    });

    it('chats, with logprobs on request', async () => {
      const { choices, usage } = await client.chat.completions.create({
        model,
        messages: [...messages],
        logprobs: true,
      });
      const [choice] = choices;
      const said = choice!.message.content!;
      expect(said).toMatch(/^[a-z]/);
      const tokens = choice!.logprobs!.content!;
      expect(tokens.map(({ token }) => token).join('')).toBe(said);
      for (const { logprob, bytes, token } of tokens) {
        expect(logprob).toBeLessThanOrEqual(0);
        expect(Buffer.from(bytes!).toString()).toBe(token);
      }
      expect(choice!.finish_reason).toBe('stop');
      // and the end token
      expect(usage!.completion_tokens).toBe(tokens.length + 1);
      expect(usage!.total_tokens).toBe(usage!.prompt_tokens + usage!.completion_tokens);
    });

    it('streams the same', async () => {
      const whole = await client.chat.completions.create({ model, messages: [...messages] });
      const stream = await client.chat.completions.create({
        model,
        messages: [...messages],
        stream: true,
        logprobs: true,
        stream_options: { include_usage: true },
      });
      let said = '';
      const ends: unknown[] = [];
      let usage: unknown = null;
      for await (const chunk of stream) {
        said += chunk.choices[0]?.delta.content ?? '';
        if (chunk.choices[0]?.finish_reason) ends.push(chunk.choices[0].finish_reason);
        usage = chunk.usage ?? usage;
      }
      expect(said).toBe(whole.choices[0]!.message.content);
      expect(ends).toEqual(['stop']);
      expect(usage).toEqual(whole.usage);
    });

    it('sees pictures, and cuts at stop words and token limits', async () => {
      const shaded = (shade: number) =>
        encodePng({ width: 64, height: 64, data: new Uint8Array(64 * 64 * 3).fill(shade) });
      const asked = async (shade: number) => {
        const url = `data:image/png;base64,${Buffer.from(await shaded(shade)).toString('base64')}`;
        const { choices } = await client.chat.completions.create({
          model,
          logprobs: true,
          messages: [
            {
              role: 'user',
              content: [
                { type: 'image_url', image_url: { url } },
                { type: 'text', text: room },
              ],
            },
          ],
        });
        return choices[0]!.logprobs!.content!.map(({ logprob }) => logprob);
      };
      const [dark, light, again] = [await asked(0), await asked(255), await asked(0)];
      expect(light).not.toEqual(dark);
      expect(again).toEqual(dark);
      const cut = await client.chat.completions.create({ model, messages: [...messages], max_tokens: 1 });
      expect(cut.choices[0]!.finish_reason).toBe('length');
      const [first] = cut.choices[0]!.message.content!;
      const stopped = await client.chat.completions.create({
        model,
        messages: [...messages],
        stop: [first!],
      });
      expect(stopped.choices[0]!.message.content).toBe('');
    });

    it('rejects requests in the client’s form', async () => {
      const refusals = [
        client.chat.completions.create({ model: 'gpt-4o', messages: [...messages] }),
        client.chat.completions.create({ model, messages: [...messages], n: 2 }),
        client.chat.completions.create({
          model,
          messages: [{ role: 'user', content: `${room} `.repeat(300) }],
        }),
        client.chat.completions.create({
          model,
          messages: [
            { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://a.example/b.png' } }] },
          ],
        }),
      ];
      const errors = (await Promise.allSettled(refusals)).map(
        (outcome) => (outcome as PromiseRejectedResult).reason as InstanceType<typeof APIError>,
      );
      for (const error of errors) expect(error).toBeInstanceOf(APIError);
      expect(errors.map(({ status, param }) => [status, param])).toEqual([
        [404, 'model'],
        [400, 'n'],
        [400, expect.toBeOneOf(['messages', null])],
        [400, 'messages'],
      ]);
      for (const { message } of errors) expect(message).not.toMatch(/node_modules|\.js|\/home|\/root/);
    });

    it('answers parallel requests like single ones', async () => {
      const ask = async (place: number) => {
        const task = room.replace('pen', ['pen', 'book', 'mug', 'key'][place % 4]!);
        const { choices } = await client.chat.completions.create({
          model,
          messages: [{ role: 'user', content: task }],
        });
        return choices[0]!.message.content;
      };
      const alone: unknown[] = [];
      for (let place = 0; place < 4; place++) alone.push(await ask(place));
      const together = await Promise.all(Array.from({ length: 16 }, (_, place) => ask(place)));
      expect(together).toEqual(Array.from({ length: 16 }, (_, place) => alone[place % 4]));
      const text = await (await fetch(`${served.address}/metrics`)).text();
      const [, count] = /^emac_batch_questions_count (\d+)$/m.exec(text)!;
      const [, sum] = /^emac_batch_questions_sum (\d+)$/m.exec(text)!;
      expect(Number(sum)).toBeGreaterThan(Number(count));
    });
  });

  it('is the expert of another run', async () => {
    const out = join(folder, 'runs');
    const small = [
      '--rounds',
      '1',
      '--games-per-round',
      '1',
      '--max-steps',
      '2',
      '--eval-games',
      '0',
      '--probe',
      'none',
      '--beams',
      '1',
    ];
    const expert = [
      '--expert',
      'openai',
      '--expert-base-url',
      `${served.address}/v1`,
      '--expert-model',
      model,
    ];
    const { status, stderr } = await emac(['train', '--phase', 'bc', ...small, ...expert, '--out', out]);
    expect([status, stderr]).toEqual([0, expect.any(String)]);
    const run = join(out, readdirSync(out)[0]!);
    const replies = readFileSync(join(run, 'llm.jsonl'), 'utf8').trimEnd().split('\n');
    expect(replies.length).toBeGreaterThanOrEqual(2);
  });

  it('plays a game like a local policy', async () => {
    const play = (agent: string) =>
      emac(['play', 'builtin:valid_unseen/0', '--agent', agent, '--json', '--max-steps', '3']);
    const five = await serve(5);
    const there = await play(five.address);
    expect(there.status).toBe(0);
    expect(there.stdout.trimEnd().split('\n')).toHaveLength(4);
    expect(there.stdout).toBe((await play('emma-tiny')).stdout);
    const policies = `${five.address},emma-tiny`;
    const asked = ['eval', '--games', 'builtin:valid_unseen', '--num-games', '1', '--max-steps', '3'];
    const compared = await emac([...asked, '--policy', policies, '--json', '--quiet']);
    expect([compared.status, compared.stderr]).toEqual([0, '']);
    expect(compared.stdout).toContain(five.address);
    five.child.kill('SIGTERM');
    expect(await five.ended).toBe(0);
  });

  it.each([
    ['ALFWorld, with pictures', null],
    [
      'an environment of texts',
      fileURLToPath(new URL('../../../../docs/examples/my-environment.mjs', import.meta.url)),
    ],
  ])('plays in %s through openai: with the commands of a local policy', async (_what, env) => {
    const out = join(folder, `served-${env === null ? 'games' : 'text'}`);
    const where = env === null ? ['--games', 'builtin:valid_unseen', '--max-steps', '4'] : ['--env', env];
    const service = ['--expert-base-url', `${served.address}/v1`, '--expert-concurrency', '1'];
    const policy = ['--policy', `openai:${model}`, '--messages', 'episode'];
    const asked = await emac(['eval', ...where, ...policy, ...service, '--num-games', '2', '--out', out]);
    expect([asked.status, asked.stderr]).toEqual([0, expect.any(String)]);
    const written = (ending: string) =>
      readdirSync(out, { recursive: true, encoding: 'utf8' }).find((name) => name.endsWith(ending))!;
    const read = (ending: string) => readFileSync(join(out, written(ending)), 'utf8');
    const { games } = JSON.parse(read('eval.json')) as {
      games: { id: string; type: string; steps: number }[];
    };
    const replies = read('.llm.jsonl').trimEnd().split('\n');

    const environment = env === null ? undefined : await loadEnvironmentModule(env);
    const host = { ...plainHost(), ...(environment && { environment }) };
    // the service observes as an agent of ALFWorld, whatever asks it
    const agent = await openAgent(model, { env, speech: { beams: 1, observe: 'image' } }, host);
    const kind = environment?.kind ?? kindOf('alfworld');
    const opened = await kind.open(kind.ids[0]!, { maxSteps: env === null ? 4 : null });
    const tasks = games.map(({ id, type }) => ({ id, type }));
    const played = await agent.play({ ...opened, tasks });
    const commands = played.flatMap(({ steps }) => steps.map(({ action }) => action));
    expect(replies.map((line) => (JSON.parse(line) as { text: string }).text)).toEqual(commands);
    expect(commands.length).toBe(games.reduce((sum, { steps }) => sum + steps, 0));
    await agent.dispose();
    await opened.close?.();
  });

  it('stays healthy beside a thousand idle connections', async () => {
    const sockets = Array.from({ length: 1000 }, () =>
      connect(served.port, '127.0.0.1').on('error', () => {}),
    );
    await Promise.all(
      sockets.map(
        (socket) => new Promise((resolve) => socket.once('connect', resolve).once('close', resolve)),
      ),
    );
    // on a new connection: the server may have closed an older, idle one to make room for the thousand
    expect(await statusBy(`${served.address}/healthz`)).toBe(200);
    sockets.forEach((socket) => socket.destroy());
  });

  it('names a port in use, and does not disturb its owner', async () => {
    const second = await emac(['serve', '--ckpt', 'emma-tiny', '--port', String(served.port)]);
    expect(second.status).toBe(73);
    expect(second.stderr).toContain(`port ${served.port}`);
    expect((await fetch(`${served.address}/healthz`)).status).toBe(200);
  });

  it('requires the token of its file, private to its owner and never printed', async () => {
    const path = join(folder, 'token');
    const token = 'CANARY-0123456789abcdef';
    writeFileSync(path, `${token}\n`);
    chmodSync(path, 0o644);
    const words = ['serve', '--ckpt', 'emma-tiny', '--port', '0'];
    const env = { EMAC_TOKEN_FILE: path };
    const readable = await emac(words, { env });
    expect(readable.status).toBe(77);
    expect((await emac([...words, '--host', '0.0.0.0'])).status).toBe(64);
    chmodSync(path, 0o600);
    const guarded = await serve(1, env);
    const list = (apiKey: string) =>
      new OpenAI({ baseURL: `${guarded.address}/v1`, apiKey, maxRetries: 0 }).models.list();
    expect((await list(token)).data).toHaveLength(1);
    await expect(list('wrong')).rejects.toMatchObject({ status: 401 });
    const play = (environment: Record<string, string>) =>
      emac(['play', 'builtin:valid_unseen/0', '--agent', guarded.address, '--max-steps', '1'], {
        env: environment,
      });
    expect((await play(env)).status).toBe(0);
    const refused = await play({});
    expect(refused.status).toBe(77);
    expect(readable.stderr + refused.stderr).not.toContain(token);
    guarded.child.kill('SIGTERM');
    await guarded.ended;
  });

  it('at SIGTERM finishes open requests, accepts no new ones, and ends', async () => {
    const ending = await serve(1);
    const body = JSON.stringify({ prompt: `${room}\n>` });
    const headers = { 'content-type': 'application/json' };
    // the first request opens the networks and takes seconds
    expect((await fetch(`${ending.address}/v1/act`, { method: 'POST', headers, body })).status).toBe(200);
    const socket = connect(ending.port, '127.0.0.1');
    let answer = '';
    socket.on('data', (chunk: Buffer) => (answer += chunk.toString()));
    const head = ['POST /v1/act HTTP/1.1', 'Host: localhost', 'Content-Type: application/json'];
    const more = ['Expect: 100-continue', 'Connection: close', `Content-Length: ${body.length}`];
    socket.write(`${[...head, ...more].join('\r\n')}\r\n\r\n`);
    // the request has begun
    while (!answer.startsWith('HTTP/1.1 100')) await once(socket, 'data');
    socket.write(body.slice(0, 10));
    ending.child.kill('SIGTERM');
    await ending.said('finishing open requests');
    await expect(fetch(`${ending.address}/healthz`)).rejects.toThrow();
    socket.write(body.slice(10));
    await once(socket, 'close');
    expect(answer).toMatch(/HTTP\/1\.1 200 .*"action":"/s);
    expect(await ending.ended).toBe(0);
  });
});
