/** Sessions of OpenEnv on WebSockets, over a real server. */
import { decodeImage } from '@emac/images';
import { afterEach, describe, expect, it } from 'vitest';
import { listen, type Listening } from '../server/listen.ts';
import { socketClients, type SocketClient } from '../server/socket-client.test.support.ts';
import { rooms } from './numbered-rooms.test.support.ts';
import { openEnvService, type OpenEnvOptions } from './service.ts';

const connect = socketClients();
const servers: Listening[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function served(kind: OpenEnvOptions['kind'], more: Partial<OpenEnvOptions> = {}): Promise<string> {
  const service = openEnvService({
    kind,
    about: 'rooms',
    version: '1',
    sessions: 64,
    observe: 'both',
    now: () => performance.now(),
    ...more,
  });
  const server = await listen({ fetch: service.fetch, sockets: service.sockets, port: 0 });
  servers.push(server);
  return `ws://127.0.0.1:${server.port}/ws`;
}

interface Envelope {
  readonly observation: Readonly<Record<string, unknown>>;
  readonly reward: number | null;
  readonly done: boolean;
  readonly metadata: Readonly<Record<string, unknown>>;
}

const reset = async (client: SocketClient, data: object = {}): Promise<Envelope> =>
  (await client.ask({ type: 'reset', data }))['data'] as Envelope;
const step = async (client: SocketClient, action: string): Promise<Envelope> =>
  (await client.ask({ type: 'step', data: { action } }))['data'] as Envelope;
const errorOf = async (client: SocketClient, message: unknown) => {
  const { type, data } = (await client.ask(message)) as {
    type: string;
    data: { code: string; message: string };
  };
  expect(type).toBe('error');
  return data;
};

describe('a session', () => {
  it('shows reward and done on the envelope and in the observation, where some clients read them (OpenEnv pull request 1017)', async () => {
    const client = await connect(await served(rooms().kind));
    const first = await reset(client, { split: 'test', index: 1, episode_id: 'e1' });
    expect(first).toMatchObject({ reward: null, done: false });
    expect(first.observation).toMatchObject({ reward: null, done: false });
    // two rooms to go: each step costs a quarter, the last one brings 1
    expect(await step(client, 'go')).toMatchObject({ reward: -0.25, done: false });
    const last = await step(client, 'go');
    expect(last).toMatchObject({ reward: 1, done: true, observation: { reward: 1, done: true } });
    const metadata = {
      task: 'far/1',
      split: 'test',
      index: 1,
      episode_id: 'e1',
      step: 2,
      won: true,
      truncated: false,
    };
    expect(last.metadata).toMatchObject(metadata);
    expect(last.observation['metadata']).toEqual(last.metadata);
    // facts for people, none that the agent must not know
    expect(last.metadata).toMatchObject({ noise: 7 });
    expect(JSON.stringify(last)).not.toContain('answer');
    expect((await client.ask({ type: 'state' }))['data']).toEqual({
      episode_id: 'e1',
      step_count: 2,
      task: 'far/1',
      split: 'test',
      index: 1,
      seed: null,
      max_steps: 10,
      done: true,
    });
  });

  it('ends every episode, by its limit where the environment never does, and pays once (OpenEnv pull request 626)', async () => {
    const client = await connect(await served(rooms({ maxSteps: 3 }).kind));
    await reset(client);
    const seen = [];
    for (let count = 0; count < 5; count++) seen.push(await step(client, 'stay'));
    expect(seen.map(({ reward, done, metadata }) => [reward, done, metadata['truncated']])).toEqual([
      [-0.25, false, false],
      [-0.25, false, false],
      [-0.25, true, true],
      [0, true, true],
      [0, true, true],
    ]);
    expect((await reset(client)).done).toBe(false);
  });

  it('heeds seeds: equal ones give equal tasks and chances, and numbers beyond the tasks begin again', async () => {
    const url = await served(rooms().kind);
    const [one, other] = [await connect(url), await connect(url)];
    const textOf = async (client: SocketClient, data: object) =>
      (await reset(client, data)).observation['text'];
    expect(await textOf(one, { seed: 5 })).toBe('room 0 of 3, seed 5');
    expect(await textOf(other, { seed: 5 })).toBe('room 0 of 3, seed 5');
    expect(await textOf(one, { seed: 5, index: 0 })).toBe('room 0 of 1, seed 5');
    const without = [await textOf(one, {}), await textOf(other, {}), await textOf(one, {})];
    // resets without a seed walk through the tasks, whoever asks
    expect(without.map((text) => String(text).split(',')[0])).toEqual([
      'room 0 of 1',
      'room 0 of 2',
      'room 0 of 3',
    ]);
    expect(new Set(without).size).toBe(3);
  });

  it('shows pictures in base64, and arrays as nested lists; with text alone nothing is drawn', async () => {
    const seeing = rooms();
    const client = await connect(await served(seeing.kind));
    const { observation } = await reset(client);
    const [picture, ...others] = observation['pictures'] as string[];
    expect(others).toEqual([]);
    const frame = await decodeImage(Buffer.from(picture!, 'base64'), { bytes: 10_000, pixels: 100 });
    expect([frame.width, frame.height, [...frame.data]]).toEqual([2, 1, [255, 0, 0, 0, 0, 0]]);
    expect(observation['arrays']).toEqual({
      place: 0,
      grid: [
        [1, 2, 3],
        [4, 5, 6],
      ],
    });
    const blind = rooms();
    const reading = await connect(await served(blind.kind, { observe: 'text' }));
    expect((await reset(reading)).observation).toMatchObject({ pictures: [], admissible: ['go', 'stay'] });
    expect(blind.drawn()).toBe(0);
  });

  it("names faults in the protocol's words, and goes on after them", async () => {
    const client = await connect(await served(rooms().kind));
    expect(await errorOf(client, '{')).toMatchObject({ code: 'INVALID_JSON' });
    expect(await errorOf(client, '[]')).toMatchObject({ code: 'VALIDATION_ERROR' });
    expect(await errorOf(client, { type: 'jump' })).toMatchObject({
      code: 'UNKNOWN_TYPE',
      message: 'type: must be reset, step, state, mcp or close, got "jump"',
    });
    expect(await errorOf(client, { type: 'step', data: { action: 'go' } })).toMatchObject({
      code: 'EXECUTION_ERROR',
      message: 'no episode is under way; send a reset first',
    });
    // a field that does not exist would otherwise be dropped in silence, such as a misspelt seed
    const { code, message } = await errorOf(client, { type: 'reset', data: { sed: 1 } });
    expect([code, message]).toEqual([
      'VALIDATION_ERROR',
      expect.stringMatching(/sed.*fields are seed, episode_id, split, index/),
    ]);
    expect(await errorOf(client, { type: 'reset', data: { index: 3 } })).toMatchObject({
      code: 'VALIDATION_ERROR',
      message: 'index: split train has 3 tasks, got 3',
    });
    await reset(client, { index: 0 });
    expect(await errorOf(client, { type: 'step', data: { message: 'go' } })).toMatchObject({
      code: 'VALIDATION_ERROR',
    });
    expect(await errorOf(client, { type: 'step', data: { action: 'break' } })).toMatchObject({
      code: 'EXECUTION_ERROR',
      message: 'the floor gave way',
    });
    expect(await step(client, 'go')).toMatchObject({ done: true });
  });

  it('is refused where all are taken, and free again when its client has gone', async () => {
    const house = rooms();
    const url = await served(house.kind, { sessions: 1 });
    const first = await connect(url);
    await reset(first);
    const second = await connect(url);
    expect(await second.next()).toMatchObject({
      type: 'error',
      data: { code: 'CAPACITY_REACHED', active_sessions: 1, max_sessions: 1 },
    });
    expect(await second.closed).toBe(1013);
    first.socket.send(JSON.stringify({ type: 'close' }));
    expect(await first.closed).toBe(1000);
    expect(house.closed()).toBe(1);
    expect(await reset(await connect(url))).toMatchObject({ done: false });
  });

  // other systems have one loopback address
  it.skipIf(process.platform !== 'linux')(
    'gives way to a client at another address where one client holds all',
    async () => {
      const url = await served(rooms().kind, { sessions: 2 });
      const [idle, playing] = [await connect(url), await connect(url)];
      await reset(idle);
      await reset(playing);
      // its own third is refused, another's takes the place of the one that has waited longest
      expect((await (await connect(url)).next())['type']).toBe('error');
      const other = await connect(url, { localAddress: '127.0.0.2' });
      expect(await reset(other)).toMatchObject({ done: false });
      expect(await idle.closed).toBe(1013);
      expect(await step(playing, 'stay')).toMatchObject({ done: false });
      expect((await (await connect(url, { localAddress: '127.0.0.3' })).next())['type']).toBe('error');
    },
  );

  it('is one of 64 that play at once, each its own task', async () => {
    const url = await served(rooms({ count: null, maxSteps: 100 }).kind, { observe: 'text' });
    const clients = await Promise.all(Array.from({ length: 64 }, () => connect(url)));
    const played = await Promise.all(
      clients.map(async (client, seed) => {
        let { done } = await reset(client, { seed });
        let steps = 0;
        for (; !done; steps++) ({ done } = await step(client, 'go'));
        return steps;
      }),
    );
    // task n ends n + 1 rooms away
    expect(played).toEqual(clients.map((_, seed) => seed + 1));
  });

  it('has a tool that acts, and begins an episode for it', async () => {
    const client = await connect(await served(rooms().kind, { observe: 'text' }));
    const asked = async (method: string, params: object) =>
      (await client.ask({ type: 'mcp', data: { jsonrpc: '2.0', id: 1, method, params } }))['data'];
    expect(await asked('tools/list', {})).toMatchObject({ result: { tools: [{ name: 'act' }] } });
    const answer = await asked('tools/call', { name: 'act', arguments: { action: 'stay' } });
    expect(answer).toMatchObject({
      id: 1,
      result: {
        content: [{ type: 'text', text: 'room 0 of 1, seed attempt 0' }],
        structuredContent: { reward: -0.25, done: false },
      },
    });
    expect(await asked('tools/call', { name: 'reset' })).toMatchObject({ error: { code: -32_602 } });
    expect(await asked('tools/drop', {})).toMatchObject({ error: { code: -32_601 } });
  });
});
