/** An environment service over real HTTP on a free port. */
import { EmacError, LostEpisode, type Environment } from '@emac/core';
import { fetching } from '@emac/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listen } from '../server/listen.ts';
import { connectWorld } from './connect-world.ts';
import { environmentService, type EnvironmentServiceOptions } from './environment-service.ts';
import { manualTimer } from './manual-timer.test.support.ts';

async function offered(environment: Environment, options: EnvironmentServiceOptions = {}) {
  const { app, close } = environmentService(environment, options);
  const { onFault = () => {} } = options;
  const server = await listen({ port: 0, fetch: (request) => app.fetch(request), onFault });
  onTestFinished(async () => {
    await close();
    await server.close();
  });
  const post = (path: string, body: object) =>
    fetch(`${server.address}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  return { post, connected: await connectWorld(server.address, { retryMs: 0 }) };
}

describe('an environment service', () => {
  it('behaves like its environment', async () => {
    const inner = fetching();
    const { connected } = await offered(inner);
    expect(connected.tasks).toEqual(inner.tasks);
    const [one, other] = await Promise.all(
      [0, 1].map((place) => connected.begin(connected.tasks[place]!, 's')),
    );
    expect([one!.first.text, other!.first.text]).toEqual(['want-a', 'want-b']);
    await Promise.all([one!.step('go a'), other!.step('go b')]);
    const last = await one!.step('take a');
    expect([last.reward, last.terminated, last.info.won, last.observation.text]).toEqual([
      1,
      true,
      true,
      'done',
    ]);
    expect(await one!.step('go c')).toBe(last);
    // in order of arrival
    expect(inner.played.map(({ commands }) => commands).sort()).toEqual([['go a', 'take a'], ['go b']]);
    await one!.close();
    await other!.close();
  });

  it('answers a repeated step the same, and no step out of turn', async () => {
    const inner = fetching();
    const { post } = await offered(inner);
    const begun = await post('/v2/begin', { game: 'fetch/a', seed: 's', pictures: false });
    const { episode } = (await begun.json()) as { episode: string };
    const step = (number: number) => post('/v2/step', { episode, step: number, command: 'go a' });
    const first = await (await step(1)).text();
    expect(await (await step(1)).text()).toBe(first);
    expect((await step(3)).status).toBe(409);
    expect(inner.played[0]!.commands).toEqual(['go a']);
  });

  it('loses an episode that fails, is unknown, or idle too long', async () => {
    const timer = manualTimer();
    const inner = fetching();
    const failing: Environment = {
      ...inner,
      begin: async (task, seed) => {
        const episode = await inner.begin(task, seed);
        const step = (command: string) =>
          command === 'look' ? Promise.reject(new Error('it has crashed')) : episode.step(command);
        return { ...episode, step };
      },
    };
    const { connected } = await offered(failing, { idleSeconds: 10, timer, episodes: 1 });
    const [task] = connected.tasks;
    const failed = await connected
      .begin(task!, 's')
      .then((episode) => episode.step('look').catch((thrown: unknown) => thrown));
    expect(failed).toBeInstanceOf(LostEpisode);
    const idle = await connected.begin(task!, 's');
    await expect(connected.begin(task!, 's')).rejects.toThrow('status 503');
    timer.pass(10_000);
    await expect(idle.step('go a')).rejects.toThrow('The episode is unknown');
    await expect(connected.begin({ id: 'other', type: null }, 's')).rejects.toThrow('Unknown game');
  });

  it('reports its faults to itself only', async () => {
    const faults: unknown[] = [];
    const fault = new EmacError('data', `${process.cwd()}/game.tw-pddl: is damaged`);
    const inner = fetching();
    const bad: Environment = {
      ...inner,
      begin: async (task, seed) => {
        if (task.id === 'fetch/b') throw fault;
        const episode = await inner.begin(task, seed);
        const step = () => Promise.reject(fault);
        const close = () => (seed === 'closes badly' ? Promise.reject(fault) : episode.close());
        return { ...episode, step, close };
      },
    };
    const { post } = await offered(bad, { onFault: (thrown) => faults.push(thrown) });
    const told: string[] = [];
    const said = async (path: string, body: object): Promise<[number, Record<string, unknown>]> => {
      const response = await post(path, body);
      const text = await response.text();
      told.push(text);
      return [response.status, JSON.parse(text)];
    };
    const begin = (game: string, seed: string) => said('/v2/begin', { game, seed, pictures: false });
    expect((await begin('fetch/b', 's'))[0]).toBe(424);
    const [, { episode }] = await begin('fetch/a', 's');
    expect((await said('/v2/step', { episode, step: 1, command: 'go a' }))[0]).toBe(424);
    const [, begun] = await begin('fetch/a', 'closes badly');
    expect((await said('/v2/close', { episode: begun['episode'] }))[0]).toBe(500);
    expect(faults).toEqual([fault, fault, fault]);
    expect(told.join()).not.toMatch(/damaged|game\.tw/);
  });

  it('is told apart from other servers', async () => {
    const server = await listen({ port: 0, fetch: () => new Response('hello') });
    onTestFinished(() => server.close());
    await expect(connectWorld(server.address)).rejects.toMatchObject({ code: 'data' });
  });
});
