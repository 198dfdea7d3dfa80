/** Version 2 over real HTTP on a free port, with a manual clock. */
import { fetching } from '@emac/testing';
import { LostEpisode, type Environment, type Frame, type Step } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { byHand, client, seen, world } from './http-world.test.support.ts';
import { manualTimer } from './manual-timer.test.support.ts';
import type { AttemptRecord, Made } from './remote-episode.ts';
import { noRecord } from './record.ts';

const play = { count: 0, pictures: true };

async function environmentOf(opened: Awaited<ReturnType<typeof world>>): Promise<Environment> {
  const connected = await opened.connected();
  if (connected.wire !== 'version 2') throw new Error('the client speaks another wire');
  return opened.environment({ ...play, tasks: connected.games });
}

/** Everything one attempt returns. */
async function attempt(environment: Environment, place: number, commands: readonly string[]) {
  const episode = await environment.begin(environment.tasks[place]!, 'seed');
  const steps: Step[] = [];
  for (const command of commands) steps.push(await episode.step(command));
  await episode.close();
  return { first: episode.first, steps };
}

const commands = ['go b', 'go a', 'take a'];

describe('an environment over version 2', () => {
  it("behaves like its client's environment", async () => {
    const opened = await world();
    client(opened, fetching());
    const remote = await environmentOf(opened);
    expect(remote.tasks).toEqual(fetching().tasks);
    const there = await attempt(remote, 0, commands);
    const here = await attempt(fetching(), 0, commands);
    // with accepted commands sorted by code point, as in every environment
    const sorted = (step: Step): Step => {
      const { observation } = step;
      return { ...step, observation: { ...observation, admissible: [...observation.admissible!].sort() } };
    };
    expect(there.steps).toEqual(here.steps.map(sorted));
    expect(there.first.text).toBe('want-a');
  });

  it('sends pictures unchanged, if used', async () => {
    const frame: Frame = { width: 2, height: 1, data: Uint8Array.of(1, 2, 3, 250, 0, 7) };
    const inner = fetching();
    const drawn: Environment = {
      ...inner,
      begin: async (task, seed) => {
        const episode = await inner.begin(task, seed);
        return { ...episode, first: { ...episode.first, frames: [frame] } };
      },
    };
    const opened = await world();
    client(opened, drawn);
    const { games } = (await opened.connected()) as { games: Environment['tasks'] };
    const looked = await opened.environment({ ...play, tasks: games }).begin(games[0]!, 's');
    expect(looked.first.frames).toEqual([frame]);
    await looked.close();
    const blind = await opened.environment({ count: 0, pictures: false, tasks: games }).begin(games[0]!, 's');
    expect(blind.first.frames).toEqual([]);
    await blind.close();
  });

  it('repeats the last step after the end', async () => {
    const opened = await world();
    const inner = fetching();
    client(opened, inner);
    const { steps } = await attempt(await environmentOf(opened), 0, ['go a', 'take a', 'go b']);
    expect(steps[2]).toEqual(steps[1]);
    expect(inner.played[0]!.commands).toEqual(['go a', 'take a']);
  });

  it('is played by several clients at once, each with its own episodes', async () => {
    const opened = await world({ clients: 2 });
    const [one, other] = [fetching(), fetching()];
    client(opened, one);
    client(opened, other);
    const remote = await environmentOf(opened);
    expect(opened.seats()).toBe(2);
    const begun = await Promise.all([
      remote.begin(remote.tasks[0]!, 's'),
      remote.begin(remote.tasks[1]!, 's'),
    ]);
    for (const command of ['go a', 'go b', 'go c'])
      await Promise.all(begun.map((episode) => episode.step(command)));
    expect([one, other].map(({ played }) => played.length)).toEqual([1, 1]);
    expect([one, other].map(({ played }) => played[0]!.commands.length)).toEqual([3, 3]);
  });

  it("lists games in its client's order, and by id if clients differ", async () => {
    const opened = await world({ clients: 2 });
    client(opened, fetching(['fetch/c', 'fetch/a']));
    client(opened, fetching(['fetch/b']));
    const connected = await opened.connected();
    expect(connected).toMatchObject({ games: [{ id: 'fetch/a' }, { id: 'fetch/b' }, { id: 'fetch/c' }] });
  });

  it('loses only the episode whose world fails', async () => {
    const opened = await world();
    const inner = fetching();
    let fails = true;
    const failing: Environment = {
      ...inner,
      begin: async (task, seed) => {
        const episode = await inner.begin(task, seed);
        const step = (command: string) =>
          fails ? Promise.reject(new Error('the simulator has crashed')) : episode.step(command);
        return { ...episode, step };
      },
    };
    client(opened, failing);
    const remote = await environmentOf(opened);
    await expect(attempt(remote, 0, commands)).rejects.toThrow(
      new LostEpisode('fetch/a: its world failed: the simulator has crashed'),
    );
    fails = false;
    expect((await attempt(remote, 0, commands)).steps[2]!.info.won).toBe(true);
  });
});

describe('a client that leaves', () => {
  const limits = { stepSeconds: 10, clientSeconds: 30, pollSeconds: 1000 };

  it('is replaced by another, which repeats the same commands', async () => {
    const timer = manualTimer();
    const opened = await world({ ...limits, timer });
    const hand = byHand(opened);
    const id = await hand.hello(['fetch/a']);
    const remote = await environmentOf(opened);
    const beginning = remote.begin(remote.tasks[0]!, 's');
    const order = (await hand.next({ kind: 'nothing', client: id })) as { episode: string };
    const of = { client: id, episode: order.episode };
    const asking = hand.next({
      kind: 'begun',
      ...of,
      step: 0,
      observation: { ...seen('want-a'), admissible: null },
    });
    const episode = await beginning;
    const going = episode.step('go a');
    expect(await asking).toEqual({ do: 'step', episode: order.episode, step: 1, command: 'go a' });
    const reporting = hand.next({
      kind: 'stepped',
      ...of,
      step: 1,
      observation: seen('at-a'),
      reward: 0,
      won: false,
      done: false,
      truncated: false,
    });
    await going;
    const taking = episode.step('take a');
    expect(await reporting).toMatchObject({ step: 2 });
    // it never reports a result
    timer.pass(10_000);
    const inner = fetching(['fetch/a']);
    const silent: Environment = {
      ...inner,
      begin: async (task, seed) => {
        const begun = await inner.begin(task, seed);
        const step = async (command: string) => {
          const made = await begun.step(command);
          return { ...made, observation: { ...made.observation, admissible: null } };
        };
        return { ...begun, first: { ...begun.first, admissible: null }, step };
      },
    };
    client(opened, silent);
    expect((await taking).info.won).toBe(true);
    expect(inner.played[0]!.commands).toEqual(['go a', 'take a']);
  });

  it('loses its episode if the next client observes something else', async () => {
    const timer = manualTimer();
    const opened = await world({ ...limits, timer });
    const hand = byHand(opened);
    const id = await hand.hello(['fetch/a']);
    const remote = await environmentOf(opened);
    const beginning = remote.begin(remote.tasks[0]!, 's');
    const { episode: name } = (await hand.next({ kind: 'nothing', client: id })) as { episode: string };
    const asking = hand.next({
      kind: 'begun',
      client: id,
      episode: name,
      step: 0,
      observation: seen('another room'),
    });
    const episode = await beginning;
    const going = episode.step('go a');
    await asking;
    timer.pass(10_000);
    client(opened, fetching());
    await expect(going).rejects.toThrow('fetch/a: began differently than before');
  });

  it('loses its episode after the allowed restarts', async () => {
    const timer = manualTimer();
    const opened = await world({ ...limits, timer, restarts: 1 });
    const hand = byHand(opened);
    const ids = [await hand.hello(['fetch/a'])];
    const remote = await environmentOf(opened);
    const lost = remote.begin(remote.tasks[0]!, 's').catch((thrown: unknown) => thrown);
    expect(await hand.next({ kind: 'nothing', client: ids[0] })).toMatchObject({
      do: 'begin',
      episode: 'e1',
    });
    timer.pass(10_000);
    ids.push(await hand.hello(['fetch/a']));
    expect(await hand.next({ kind: 'nothing', client: ids[1] })).toMatchObject({
      do: 'begin',
      episode: 'e2',
    });
    timer.pass(10_000);
    expect(await lost).toEqual(
      new LostEpisode('fetch/a: client by hand was silent for 10 s; it was restarted too often'),
    );
  });

  it('stops the run if no other client comes', async () => {
    const timer = manualTimer();
    const opened = await world({ ...limits, timer });
    await byHand(opened).hello(['fetch/a']);
    const remote = await environmentOf(opened);
    timer.pass(10_000);
    const beginning = remote.begin(remote.tasks[0]!, 's');
    const stopped = expect(beginning).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('no client that can play fetch/a was free within 30 s') as string,
    });
    timer.pass(30_000);
    await stopped;
  });
});

describe('messages of version 2', () => {
  it('get the same answer when sent again', async () => {
    const opened = await world();
    const hand = byHand(opened);
    const id = await hand.hello(['fetch/a']);
    const remote = await environmentOf(opened);
    const beginning = remote.begin(remote.tasks[0]!, 's');
    const order = await hand.next({ kind: 'nothing', client: id });
    expect(await hand.next({ kind: 'nothing', client: id })).toEqual(order);
    const { episode: name } = order as { episode: string };
    const report = { kind: 'begun', client: id, episode: name, step: 0, observation: seen('here') };
    const first = hand.next(report);
    const episode = await beginning;
    const stepping = episode.step('go a');
    const answer = await first;
    expect(await hand.next({ ...report, observation: seen('elsewhere') })).toEqual(answer);
    expect(await hand.next({ kind: 'nothing', client: id })).toEqual(answer);
    const lost = stepping.catch((thrown: unknown) => thrown);
    const last = hand.next({ kind: 'failed', client: id, episode: name, step: 1, reason: 'enough' });
    expect(await lost).toEqual(new LostEpisode('fetch/a: its world failed: enough'));
    await opened.close();
    expect(await last).toEqual({ do: 'finished' });
  });

  it.each([
    ['no JSON', 400, 'bad_json', null],
    ['another version', 422, 'invalid', 'version'],
    ['a game with a line break', 422, 'invalid', 'games.0.id'],
    ['two games of one id', 422, 'invalid', 'games'],
    ['more games than anybody has', 422, 'invalid', 'games'],
    ['an unknown field', 422, 'invalid', null],
    ['an unknown client', 404, 'unknown_client', null],
    ['a report of nothing that was asked', 409, 'out_of_step', null],
    ['a picture that is none', 422, 'unreadable_picture', 'observation.picture'],
    ['a control character', 422, 'invalid', 'observation.text'],
    ['a plain text', 415, 'not_json', null],
    ['another path', 404, 'not_found', null],
  ])('are refused: %s (%i)', async (what, status, code, param) => {
    const opened = await world();
    const hand = byHand(opened);
    const game = { id: 'g', type: null };
    const hello = { version: 2, name: 'n', games: [game], pictures: false };
    const id = await hand.hello(['g']);
    const begun = { kind: 'begun', client: id, episode: 'e', step: 0, observation: seen('x') };
    const json = { 'content-type': 'application/json' };
    const send = (body: string, headers: Record<string, string>) =>
      fetch(new URL('/v2/hello', opened.address), { method: 'POST', headers, body });
    const asked: Record<string, () => Promise<Response>> = {
      'no JSON': () => send('{', json),
      'another version': () => hand.post('/v2/hello', { ...hello, version: 3 }),
      'a game with a line break': () =>
        hand.post('/v2/hello', { ...hello, games: [{ ...game, id: 'a\nb' }] }),
      'two games of one id': () => hand.post('/v2/hello', { ...hello, games: [game, game] }),
      'more games than anybody has': () =>
        hand.post('/v2/hello', {
          ...hello,
          games: Array.from({ length: 20_001 }, (_, place) => ({ ...game, id: `g${place}` })),
        }),
      'an unknown field': () => hand.post('/v2/hello', { ...hello, more: 1 }),
      'an unknown client': () => hand.post('/v2/next', { kind: 'nothing', client: 'x' }),
      'a report of nothing that was asked': () => hand.post('/v2/next', begun),
      'a picture that is none': () =>
        hand.post('/v2/next', { ...begun, observation: { ...seen('x'), picture: 'aGVsbG8=' } }),
      'a control character': () => hand.post('/v2/next', { ...begun, observation: seen('\u001b[31m') }),
      'a plain text': () => send(JSON.stringify(hello), { 'content-type': 'text/plain' }),
      'another path': () => hand.post('/v2/else', {}),
    };
    const response = await asked[what]!();
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({
      error: { code, param, message: expect.any(String) as string },
    });
  });
});

describe('observations of an earlier process', () => {
  function recordOf(known: readonly Made[]): AttemptRecord & { readonly kept: (readonly [number, Made])[] } {
    const kept: (readonly [number, Made])[] = [];
    return { kept, expected: (step) => known[step], keep: (step, made) => void kept.push([step, made]) };
  }

  async function played(record: AttemptRecord) {
    const opened = await world();
    client(opened, fetching());
    const { games } = (await opened.connected()) as { games: Environment['tasks'] };
    const remote = opened.environment({
      ...play,
      tasks: games,
      record: { ...noRecord, attempt: () => record },
    });
    return attempt(remote, 0, ['go a', 'take a']);
  }

  it('are kept step by step, and must come again', async () => {
    const fresh = recordOf([]);
    await played(fresh);
    expect(fresh.kept.map(([step, { command }]) => [step, command])).toEqual([
      [0, null],
      [1, 'go a'],
      [2, 'take a'],
    ]);
    const again = recordOf(fresh.kept.map(([, made]) => made));
    await played(again);
    expect(again.kept).toEqual([]);
    const other = recordOf([fresh.kept[0]![1], { command: 'go a', sha256: 'of something else' }]);
    await expect(played(other)).rejects.toThrow('fetch/a: answered "go a" differently than before');
  });

  it('do not matter once another command is made', async () => {
    const record = recordOf([]);
    await played(record);
    const [begun, , last] = record.kept.map(([, made]) => made);
    const other = recordOf([begun!, { command: 'go b', sha256: 'of another place' }, last!]);
    await played(other);
    expect(other.kept.map(([step, { command }]) => [step, command])).toEqual([[1, 'go a']]);
  });
});
