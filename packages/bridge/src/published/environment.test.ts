/** The published wire over real HTTP on a free port. */
import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { fetching } from '@emac/testing';
import { LostEpisode, type Environment } from '@emac/core';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { HttpWorld } from '../world/http-world.ts';
import { world } from '../world/http-world.test.support.ts';
import { manualTimer } from '../world/manual-timer.test.support.ts';
import { messageText, playAsPublished, type PlayedAsPublished } from './client.ts';

const md5 = (bytes: string) => createHash('md5').update(bytes).digest('hex');

function client(
  { address: url }: HttpWorld,
  environment: Environment,
  options: Partial<PlayedAsPublished> = {},
) {
  const stopping = new AbortController();
  onTestFinished(() => stopping.abort());
  const answers: string[] = [];
  const listener = (_task: unknown, command: string) => void answers.push(command);
  const retry = { retryMs: 0, wait: (milliseconds: number) => sleep(milliseconds) };
  const how = { url, environment, maxSteps: null, rounds: null, listener, signal: stopping.signal, ...retry };
  const ended = playAsPublished({ ...how, ...options }).catch(() => {});
  return { answers, ended };
}

async function arriving(opened: HttpWorld, count = 3) {
  expect(await opened.connected()).toEqual({ wire: 'published' });
  const environment = opened.environment({ tasks: [], count, pictures: true });
  const begin = async (isWanted: (id: string) => boolean = () => true) => {
    const place = (await environment.arrivals!.next(({ id }) => isWanted(id)))!;
    return environment.begin(environment.tasks[place]!, 's');
  };
  return { environment, begin };
}

/** The first message about one of these games. */
const said = (type: string, text = 'want-a') =>
  messageText(
    { id: 'fetch/a', type: null },
    { observation: { text, frames: [], admissible: null }, history: text, type, done: false, won: false },
  );

function post({ address }: HttpWorld, body: string, sum = md5(body)): Promise<Response> {
  return fetch(address, { method: 'POST', body, headers: { MD5: sum } });
}

describe('games of the published wire', () => {
  it('are identified by their files, in order of arrival', async () => {
    const opened = await world();
    const { answers } = client(opened, fetching());
    const { environment, begin } = await arriving(opened);
    expect(environment.tasks).toEqual([]);
    const episode = await begin();
    expect(environment.tasks).toEqual([{ id: 'fetch/a', type: null }]);
    expect(episode.first.text).toBe('want-a');
    expect((await episode.step('go a')).observation.text).toBe('at-a');
    const last = await episode.step('take a');
    expect([last.reward, last.terminated, last.truncated, last.info.won]).toEqual([1, true, false, true]);
    expect(await episode.step('go b')).toBe(last);
    await episode.close();
    const next = await begin();
    expect(environment.tasks.map(({ id }) => id)).toEqual(['fetch/a', 'fetch/b']);
    expect(answers).toEqual(['go a', 'take a', 'SKIP']);
    await next.close();
  });

  it('are answered SKIP if unwanted, until they come again', async () => {
    const opened = await world();
    const { answers } = client(opened, fetching());
    const { environment, begin } = await arriving(opened);
    await (await begin((id) => id === 'fetch/c')).close();
    expect(environment.tasks.map(({ id }) => id)).toEqual(['fetch/c']);
    expect(await environment.arrivals!.next(() => false)).toBeNull();
    // a, b, then c, which was left; a, b, c once more, and a waits
    expect(answers).toEqual(Array.from({ length: 6 }, () => 'SKIP'));
    expect(await environment.arrivals!.next(({ id }) => id === 'fetch/a')).toBe(1);
  });

  it('end if their client begins another one', async () => {
    const opened = await world();
    client(opened, fetching(), { maxSteps: 1 });
    const { begin } = await arriving(opened);
    const episode = await begin();
    expect((await episode.step('go a')).observation.text).toBe('at-a');
    // its client accepts only one command
    const left = await episode.step('take a');
    expect([left.truncated, left.terminated, left.info.won, left.observation.text]).toEqual([
      true,
      false,
      false,
      '',
    ]);
    await episode.close();
    expect((await begin()).task.id).toBe('fetch/b');
  });

  it('are lost if their client restarts them, or is silent for too long', async () => {
    const timer = manualTimer();
    const opened = await world({ timer, stepSeconds: 10 });
    const first = post(opened, said('t'));
    const { begin } = await arriving(opened);
    const episode = await begin();
    const stepping = episode.step('go a').catch((thrown: unknown) => thrown);
    expect(await (await first).text()).toBe(`['go a']`);
    const again = post(opened, said('t'));
    expect(await stepping).toEqual(new LostEpisode('fetch/a: its client restarted it'));
    await episode.close();
    const second = await begin();
    const late = second.step('go b').catch((thrown: unknown) => thrown);
    expect(await (await again).text()).toBe(`['go b']`);
    timer.pass(10_000);
    expect(await late).toEqual(new LostEpisode('fetch/a: no result of "go b" within 10 s'));
  });

  it('stop the run if none comes', async () => {
    const timer = manualTimer();
    const opened = await world({ timer, clientSeconds: 10 });
    const first = post(opened, said('t'));
    const { environment, begin } = await arriving(opened);
    await (await begin()).close();
    expect(await (await first).text()).toBe(`['SKIP']`);
    const waiting = environment.arrivals!.next(() => true).catch((thrown: unknown) => thrown);
    timer.pass(10_000);
    expect(await waiting).toMatchObject({ code: 'unavailable' });
  });
});

describe('messages of the published wire', () => {
  it('are answered with a list of one text and its MD5', async () => {
    const opened = await world();
    const message = post(opened, said('t'));
    const { begin } = await arriving(opened);
    const episode = await begin();
    void episode.step("take Tom's cup 1").catch(() => {});
    const answer = await message;
    expect(await answer.text()).toBe(`["take Tom's cup 1"]`);
    expect(answer.headers.get('MD5')).toBe(md5(`["take Tom's cup 1"]`));
  });

  it('of a finished episode are answered SKIP', async () => {
    const opened = await world();
    const old = post(opened, said('', 'at-a'));
    const { begin } = await arriving(opened);
    const beginning = begin();
    expect(await (await old).text()).toBe(`['SKIP']`);
    void post(opened, said('t')).catch(() => {});
    expect((await beginning).task.id).toBe('fetch/a');
  });

  it.each([
    ['another MD5', said('t'), 'x'.repeat(32)],
    ['no tags', 'hello', undefined],
    ['bytes that are no text', '\u0000', undefined],
  ])('are refused with an empty body: %s', async (_what, body, sum) => {
    const opened = await world();
    const response = await post(opened, body, sum);
    expect([response.status, await response.text()]).toEqual([400, '']);
  });

  it('are refused if the run speaks version 2', async () => {
    const opened = await world();
    const hello = { version: 2, name: 'n', games: [{ id: 'g', type: null }], pictures: false };
    const headers = { 'content-type': 'application/json' };
    await fetch(new URL('/v2/hello', opened.address), {
      method: 'POST',
      headers,
      body: JSON.stringify(hello),
    });
    expect((await post(opened, said('t'))).status).toBe(400);
  });
});
