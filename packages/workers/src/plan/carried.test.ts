/** Values cross the shared folder unchanged, whatever they look like. */
import { join } from 'node:path';
import { sharedFolder } from '@emac/queue';
import { expect, it } from 'vitest';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { EmacError } from '@emac/core';
import { carried, carry, patiently } from './carried.ts';

const shared = sharedFolder(join(temporaryFolder(), 'data'));
const sentOn = async <T>(value: T): Promise<T> => carried<T>(shared, await carry(shared, value));

it.each(['ENOENT', 'ESTALE'])(
  'reads a file again that another machine has just put there: %s',
  async (code) => {
    const late = new EmacError(code === 'ENOENT' ? 'missing' : 'io', 'cannot read', {
      cause: Object.assign(new Error(code), { code }),
    });
    let reads = 0;
    const read = () => {
      if (reads++ === 0) throw late;
      return 'there';
    };
    expect(await patiently(shared, read)).toBe('there');
  },
);

it('keeps objects that look like its own marks', async () => {
  const state = { $: 'Frame', hash: 'none', inner: [{ $: 'number', is: 'NaN', at: -0 }, { $: null }] };
  expect(await sentOn(state)).toEqual(state);
});

it('keeps objects that look like pictures or features', async () => {
  const data = Uint8Array.from({ length: 25 }, (_, place) => place);
  const picture = { width: 2, height: 1, data: Uint8Array.of(1, 2, 3, 4, 5, 6) };
  const values = {
    grid: { width: 5, height: 5, data },
    room: { ...picture, name: 'kitchen' },
    nothing: { width: 0, height: 0, data: new Uint8Array(0) },
    named: { key: 'a', data: Float32Array.of(-0, NaN), unit: 'm' },
    picture,
  };
  expect(await sentOn(values)).toEqual(values);
});

it('takes bytes of a buffer for bytes', async () => {
  const bytes = { array: { shape: [3], data: Buffer.from([0, 255, 7]).subarray(1) } };
  expect(await sentOn(bytes)).toEqual({ array: { shape: [3], data: Uint8Array.of(255, 7) } });
});

it('reads equal arrays as arrays of their own, and equal pictures as one', async () => {
  const picture = { width: 1, height: 1, data: Uint8Array.of(1, 2, 3) };
  const zeros = () => new Float32Array(1_000);
  const [first, second, one, other] = await sentOn([zeros(), zeros(), picture, picture] as const);
  first[0] = 1;
  expect(second[0]).toBe(0);
  expect(one).toBe(other);
});

it('refuses what no program of its own writes', async () => {
  const pair = Buffer.from([1, 2]).toString('base64');
  const odd = shared.put(Uint8Array.of(1, 2, 3));
  for (const each of [
    { $: 'constructor', base64: pair },
    { $: 'Map', base64: pair },
    { $: 'Float32Array', base64: pair },
    { $: 'Float64Array', hash: odd },
    { $: 'Features', key: 'a', hash: odd },
    { $: 'Frame' },
  ])
    await expect(carried(shared, { text: JSON.stringify([each]) })).rejects.toMatchObject({ code: 'data' });
  const entries = '[{"$":"object","entries":3}]';
  for (const held of [null, 7, [], {}, { hash: 7 }, { hash: '../..' }, { text: '{' }, { text: entries }])
    await expect(carried(shared, held as never)).rejects.toMatchObject({ code: 'data' });
});
