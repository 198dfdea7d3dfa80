/** Environments of other programs over OpenEnv: real servers, ours and others' forms. */
import { LostEpisode, type Episode } from '@emac/core';
import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { listen, type Listening, type ListenOptions } from '../server/listen.ts';
import { rooms } from './numbered-rooms.test.support.ts';
import { openOpenEnv, type RemoteOptions } from './remote.ts';
import { openEnvService, type OpenEnvOptions } from './service.ts';
import { schemaOf, theirServers } from './theirs.test.support.ts';

const servers: Listening[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

async function served(
  kind: OpenEnvOptions['kind'],
  { sessions = 8, ...where }: Partial<ListenOptions> & { readonly sessions?: number } = {},
): Promise<Listening> {
  const service = openEnvService({
    kind,
    about: 'rooms',
    version: '1',
    sessions,
    observe: 'both',
    now: () => performance.now(),
  });
  const server = await listen({ port: 0, ...where, fetch: service.fetch, sockets: service.sockets });
  servers.push(server);
  return server;
}

const nameOf = ({ address }: Listening) => `openenv:${address}`;

async function opened(name: string, options: Partial<RemoteOptions> = {}) {
  const wait = () => new Promise<void>((resolve) => setTimeout(resolve, 5));
  const remote = await openOpenEnv(name, { token: null, maxSteps: null, retryMs: 10_000, wait, ...options });
  onTestFinished(() => remote.close());
  return remote;
}

const theirs = theirServers();
const message = { message: { type: 'string' } };
const textOf = async (episode: Episode, action: string) => (await episode.step(action)).observation.text;

describe('an environment of our own server', () => {
  it('is what it is without the server: tasks, texts, pictures, arrays, rewards, ends', async () => {
    const remote = await opened(nameOf(await served(rooms().kind)));
    expect([remote.maxSteps, remote.tasks.training.count]).toEqual([10, 3]);
    const task = remote.tasks.heldOut.at(1);
    expect(task).toEqual({ id: 'test/far/1', type: 'row' });
    const episode = await remote.begin(task, 'seed');
    // two rooms to go
    expect(episode.first.text).toMatch(/^room 0 of 2, seed \d+$/);
    const step = await episode.step('go');
    expect(step).toMatchObject({ reward: -0.25, terminated: false, truncated: false, info: { won: false } });
    expect(step.observation.admissible).toEqual(['go', 'stay']);
    expect([...step.observation.frames[0]!.data]).toEqual([255, 0, 0, 0, 0, 1]);
    expect(step.observation.arrays!['grid']).toEqual({
      shape: [2, 3],
      data: Float32Array.of(1, 2, 3, 4, 5, 6),
    });
    const last = await episode.step('go');
    expect(last).toMatchObject({ reward: 1, terminated: true, truncated: false, info: { won: true } });
    expect(await episode.step('go')).toBe(last);
    await episode.close();
  });

  it('has equal chances for equal seeds, and its step limit', async () => {
    const remote = await opened(nameOf(await served(rooms().kind)), { maxSteps: 2 });
    const first = async (seed: string) => {
      const episode = await remote.begin(remote.tasks.training.at(0), seed);
      await episode.close();
      return episode.first.text;
    };
    expect(await first('a')).toBe(await first('a'));
    expect(await first('a')).not.toBe(await first('b'));
    const episode = await remote.begin(remote.tasks.training.at(2), 'a');
    expect(await episode.step('stay')).toMatchObject({ truncated: false });
    expect(await episode.step('stay')).toMatchObject({ truncated: true, terminated: false });
    await episode.close();
  });

  it('plays as many episodes at once as there are sessions; one more waits for its turn', async () => {
    const remote = await opened(nameOf(await served(rooms().kind, { sessions: 2 })));
    expect(remote.seats()).toBe(2);
    const task = remote.tasks.training.at(0);
    const [one] = [await remote.begin(task, '1'), await remote.begin(task, '2')];
    const third = remote.begin(task, '3');
    await one.close();
    expect((await third).first.text).toMatch(/^room 0/);
  });

  it('goes on after the server was away: actions are repeated', async () => {
    const server = await served(rooms().kind);
    const remote = await opened(nameOf(server));
    const episode = await remote.begin(remote.tasks.training.at(2), 'seed');
    expect(await textOf(episode, 'go')).toMatch(/^room 1 of 3/);
    await server.close();
    const next = textOf(episode, 'go');
    await served(rooms().kind, { port: server.port });
    expect(await next).toMatch(/^room 2 of 3/);
    expect(await episode.step('go')).toMatchObject({ terminated: true, info: { won: true } });
  });

  it('loses an episode whose world has changed, or failed, and plays the next one', async () => {
    const server = await served(rooms().kind);
    const remote = await opened(nameOf(server));
    const task = remote.tasks.training.at(0);
    const failing = await remote.begin(task, 'seed');
    await expect(failing.step('break')).rejects.toThrow(LostEpisode);
    await failing.close();
    const episode = await remote.begin(task, 'seed');
    await server.close();
    const next = episode.step('go');
    const changed = rooms();
    const begin = changed.kind.begin;
    await served({ ...changed.kind, begin: (place) => begin(place, 'another') }, { port: server.port });
    await expect(next).rejects.toThrow(/began differently than before/);
    await expect(next).rejects.toThrow(LostEpisode);
    expect((await remote.begin(task, 'seed')).first.text).toMatch(/another$/);
  });

  it('needs its token, a server, and a free session', async () => {
    const token = 'a-token-of-good-length';
    const server = await served(rooms().kind, { token });
    await expect(opened(nameOf(server))).rejects.toMatchObject({ code: 'auth' });
    expect((await opened(nameOf(server), { token })).maxSteps).toBe(10);
    await server.close();
    await expect(opened(nameOf(server), { token })).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('start the server, or give its address') as string,
    });
    const full = await served(rooms().kind, { sessions: 1 });
    const remote = await opened(nameOf(full));
    await expect(opened(nameOf(full))).rejects.toThrow(/let the server have more sessions/);
    expect(remote.seats()).toBe(1);
  });
});

describe("an environment of others' servers", () => {
  it('may say its reward and end in the observation alone, and is no win without a reward (OpenEnv pull request 1017)', async () => {
    const name = await theirs({
      schema: { action: schemaOf(message), observation: schemaOf({ text: { type: 'string' } }) },
      answer: (type, { message: said }) =>
        type === 'reset'
          ? { observation: { text: 'say yes' } }
          : { observation: { text: String(said), reward: said === 'yes' ? 1 : 0, done: true } },
    });
    const remote = await opened(name);
    const begin = () => remote.begin(remote.tasks.training.at(0), '');
    expect(await (await begin()).step('yes')).toMatchObject({
      reward: 1,
      terminated: true,
      info: { won: true },
    });
    expect(await (await begin()).step('no')).toMatchObject({
      reward: 0,
      terminated: true,
      info: { won: false },
    });
  });

  it('is cut off after its limit where it never ends (OpenEnv pull request 626)', async () => {
    const name = await theirs({
      schema: { action: schemaOf(message), observation: schemaOf({ text: { type: 'string' } }) },
      answer: () => ({ observation: { text: '…' }, reward: 0.1, done: false }),
    });
    const remote = await opened(name, { maxSteps: 3 });
    const episode = await remote.begin(remote.tasks.training.at(0), '');
    const steps = [
      await episode.step('a'),
      await episode.step('a'),
      await episode.step('a'),
      await episode.step('a'),
    ];
    expect(steps.map(({ truncated }) => truncated)).toEqual([false, false, true, true]);
    expect((await opened(name)).maxSteps).toBe(50);
  });

  it('without lists of tasks has a seed for each: even ones for training, odd ones held out', async () => {
    const resets: object[] = [];
    const name = await theirs({
      schema: { action: schemaOf(message), observation: schemaOf({ text: { type: 'string' } }) },
      routes: { '/metadata': { name: 'Echo' } },
      answer: (type, data) => {
        if (type === 'reset') resets.push(data);
        return { observation: { text: '' }, reward: null, done: false };
      },
    });
    const remote = await opened(`${name}#reset.level=2`);
    expect(remote.tasks.training.at(3).id).toBe('Echo/6');
    await remote.begin(remote.tasks.training.at(3), 'a');
    await remote.begin(remote.tasks.heldOut.at(3), 'a');
    expect(resets).toEqual([
      { level: 2, seed: 6 },
      { level: 2, seed: 7 },
    ]);
  });

  it("takes a policy's mistake as a step without effect, and a wrong mapping as a fault", async () => {
    const name = await theirs({
      schema: {
        action: schemaOf({ move: { type: 'integer' } }),
        observation: schemaOf({ text: { type: 'string' } }),
      },
      answer: (type, { move }) => {
        if (type === 'reset') return { observation: { text: 'start' } };
        if (typeof move !== 'number' || move > 9) return { error: 'VALIDATION_ERROR' };
        return { observation: { text: `at ${move}` }, reward: 1, done: false };
      },
    });
    const remote = await opened(name);
    const episode = await remote.begin(remote.tasks.training.at(0), '');
    const still = { observation: { text: 'start' }, reward: 0, terminated: false };
    expect(await episode.step('north')).toMatchObject(still);
    expect(await episode.step('4')).toMatchObject({ observation: { text: 'at 4' }, reward: 1 });
    expect(await episode.step('12')).toMatchObject({ observation: { text: 'at 4' }, reward: 0 });
    const wrong = await opened(`${name}#action=go`);
    await expect((await wrong.begin(wrong.tasks.training.at(0), '')).step('4')).rejects.toThrow(
      /the server refuses step \{"go":"4"\} \(no\); name the fields after #/,
    );
  });

  it('loses the episode of an answer with lists in lists without end', async () => {
    const deep = Array.from({ length: 200 }).reduce<unknown>((inner) => [inner], 'x');
    const name = await theirs({
      schema: { action: schemaOf(message), observation: schemaOf({ text: {} }) },
      answer: () => ({ observation: { text: deep } }),
    });
    const remote = await opened(name);
    const fault = await remote.begin(remote.tasks.training.at(0), '').catch((thrown: unknown) => thrown);
    expect(fault).toBeInstanceOf(LostEpisode);
    expect((fault as Error).message).toContain('the answer has more than 100 levels');
  });

  it('has routes within the limits of answers', async () => {
    const deep = Array.from({ length: 200 }).reduce<unknown>((inner) => [inner], 'x');
    const schema = { action: schemaOf({ deep }), observation: schemaOf({}) };
    const name = await theirs({ schema, answer: () => ({}) });
    await expect(opened(name)).rejects.toMatchObject({
      code: 'data',
      message: expect.stringMatching(
        /^http.*\/schema: cannot be read: the answer has more than 100 levels; look at the server$/,
      ) as string,
    });
  });

  it('must have schemas', async () => {
    const name = await theirs({ schema: {} as never, answer: () => ({}) });
    await expect(opened(name)).rejects.toThrow(/GET \/schema must give the schemas/);
  });
});
