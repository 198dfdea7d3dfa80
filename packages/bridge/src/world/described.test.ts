/** Clients that describe their environment: arrays of observations, and one description for a run. */
import type { NumberArray, Observation } from '@emac/core';
import { describe, expect, it } from 'vitest';
import { openWorldRecord } from './record.ts';
import { byHand, seen, world } from './http-world.test.support.ts';
import { join } from 'node:path';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { onTestFinished } from 'vitest';
import type { HttpWorld } from './http-world.ts';

const described = {
  actions: ['left', 'right'],
  arrays: { place: { shape: [2], type: 'float32' }, room: { shape: [], type: 'int32', categories: [3] } },
  picture: null,
  steps: 10,
  rewards: null,
};

/** 1.5 and −2 as IEEE 754: 0x3fc00000 and 0xc0000000, the lowest byte first. */
const place = {
  shape: [2],
  type: 'float32',
  data: Buffer.from([0, 0, 0xc0, 0x3f, 0, 0, 0, 0xc0]).toString('base64'),
};
/** 258 = 1 · 256 + 2 */
const room = { shape: [], type: 'int32', data: Buffer.from([2, 1, 0, 0]).toString('base64') };

const hello = (environment?: object) => ({
  version: 2,
  name: 'by hand',
  games: [{ id: 'Rooms-v0', type: null }],
  pictures: false,
  ...(environment && { environment }),
});

/** A client that has begun the episode of a seed with these arrays. */
async function begun(opened: HttpWorld, arrays: object) {
  const hand = byHand(opened);
  const response = await hand.post('/v2/hello', hello(described));
  const { client } = (await response.json()) as { client: string };
  const order = await hand.next({ kind: 'nothing', client });
  if (order.do !== 'begin') throw new Error('begin comes first');
  const of = { client, episode: order.episode, step: 0 };
  const report = { kind: 'begun', ...of, observation: { ...seen('here'), arrays } };
  return { hand, client, order, answered: hand.post('/v2/next', report) };
}

const task = { id: 'Rooms-v0', type: null };
const played = (opened: HttpWorld) => opened.environment({ tasks: [task], count: 0, pictures: false });

describe('a client that describes its environment', () => {
  it('sends arrays as little-endian bytes, and is ordered to begin a seed', async () => {
    const opened = await world();
    const coming = played(opened).begin(task, '42');
    const { order } = await begun(opened, { place, room });
    const episode = await coming;
    expect(order).toMatchObject({ game: 'Rooms-v0', seed: '42' });
    const { arrays } = episode.first as Required<Observation>;
    expect(arrays).toEqual({
      place: { shape: [2], data: Float32Array.of(1.5, -2) },
      room: { shape: [], data: Int32Array.of(258) },
    } satisfies Record<string, NumberArray>);
    expect(await opened.connected()).toMatchObject({ environment: described });
    await episode.close();
  });

  it('is refused if an array holds other numbers than its shape says', async () => {
    const opened = await world();
    const coming = played(opened).begin(task, '42');
    const { hand, client, order, answered } = await begun(opened, { place: { ...place, shape: [3] } });
    const response = await answered;
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ error: { param: 'observation.arrays.place' } });
    const of = { client, episode: order.do === 'begin' ? order.episode : '', step: 0 };
    void hand.post('/v2/next', { kind: 'failed', ...of, reason: 'it has no more' });
    await expect(coming).rejects.toThrow('it has no more');
  });

  it('may not meet one that describes another environment, or none', async () => {
    const hand = byHand(await world());
    expect((await hand.post('/v2/hello', hello(described))).status).toBe(200);
    for (const other of [undefined, { ...described, steps: 9 }]) {
      const response = await hand.post('/v2/hello', hello(other));
      expect(response.status).toBe(409);
      expect(await response.json()).toMatchObject({ error: { code: 'other_environment' } });
    }
    expect((await hand.post('/v2/hello', hello({ ...described }))).status).toBe(200);
  });

  it.each([
    [{ actions: [] }, 'environment.actions'],
    [{ actions: ['left', 'left'] }, 'environment.actions'],
    [{ arrays: { place: { shape: [0], type: 'float32' } } }, 'environment.arrays.place.shape.0'],
    [{ steps: 0 }, 'environment.steps'],
  ])('is refused for %o', async (wrong, param) => {
    const response = await byHand(await world()).post('/v2/hello', hello({ ...described, ...wrong }));
    expect(response.status).toBe(422);
    expect(await response.json()).toMatchObject({ error: { param } });
  });

  it('loses an episode whose arrays differ from those before a kill', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'emac-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const outcomes: string[] = [];
    for (const arrays of [{ place }, { place }, { place: { ...place, shape: [2, 1] } }]) {
      const opened = await world();
      const record = openWorldRecord(join(folder, 'world.jsonl'));
      const environment = opened.environment({ tasks: [task], count: 0, pictures: false, record });
      const coming = environment.begin(task, '42').then(
        async (episode) => {
          await episode.close();
          return 'the same';
        },
        (thrown: Error) => thrown.message,
      );
      await begun(opened, arrays);
      outcomes.push(await coming);
      record.close();
    }
    expect(outcomes).toEqual(['the same', 'the same', expect.stringContaining('began differently')]);
  });
});
