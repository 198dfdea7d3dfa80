/** An environment at an address, over real HTTP on a free port. */
import { LostEpisode, type Environment } from '@emac/core';
import { fetching } from '@emac/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { listen } from '../server/listen.ts';
import { connectWorld } from './connect-world.ts';
import { environmentService, type EnvironmentServiceOptions } from './environment-service.ts';
import { manualTimer } from './manual-timer.test.support.ts';

async function offered(environment: Environment, options: EnvironmentServiceOptions = {}) {
  const { app, close } = environmentService(environment, options);
  const server = await listen({ port: 0, fetch: (request) => app.fetch(request) });
  onTestFinished(async () => {
    await close();
    await server.close();
  });
  const post = (path: string, body: object) =>
    app.request(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  return { post, connected: await connectWorld(server.address, { retryMs: 0 }) };
}

describe('an environment at an address', () => {
  it('is the environment', async () => {
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
    expect(inner.played.map(({ commands }) => commands)).toEqual([['go a', 'take a'], ['go b']]);
    await one!.close();
    await other!.close();
  });

  it('answers a step that is sent again the same, and no other out of its turn', async () => {
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

  it('loses an episode that fails, is not known, or was left alone too long', async () => {
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
    await expect(idle.step('go a')).rejects.toThrow('no such episode');
    await expect(connected.begin({ id: 'other', type: null }, 's')).rejects.toThrow('There is no such game');
  });

  it('is not taken for another server', async () => {
    const server = await listen({ port: 0, fetch: () => new Response('hello') });
    onTestFinished(() => server.close());
    await expect(connectWorld(server.address)).rejects.toMatchObject({ code: 'data' });
  });
});
