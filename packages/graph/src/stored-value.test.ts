import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Graph } from './graph.ts';
import * as op from './op/index.ts';
import { createSession, createSessions, type Session } from './session.ts';

const folder = mkdtempSync(join(tmpdir(), 'emac-stored-'));
const file = join(folder, 'values');

/** y = x + x */
function doubling(type: 'float32' | 'float16'): Graph {
  const graph = new Graph();
  const x = op.cast(graph.input('x', type, ['N']), 'float32');
  graph.output('y', op.add(x, x));
  return graph;
}

describe('values loaded from files', () => {
  let sessions: Record<'single' | 'half', Session>;
  beforeAll(async () => {
    const bytes = new Uint8Array(64);
    bytes.set(new Uint8Array(Float32Array.of(1.5, -2, 0.25).buffer), 3);
    // the halves of 1 and −2, and the bfloat16 of 1 and −2
    bytes.set(new Uint8Array(Uint16Array.of(0x3c00, 0xc000, 0x3f80, 0xc000).buffer), 40);
    writeFileSync(file, bytes);
    sessions = await createSessions(
      { single: doubling('float32'), half: doubling('float16') },
      { threads: 1 },
    );
  });
  afterAll(async () => {
    await Promise.all([sessions.single.dispose(), sessions.half.dispose()]);
    rmSync(folder, { recursive: true });
  });

  it('have the numbers of their bytes, at any offset', async () => {
    const x = await sessions.single.load({ type: 'float32', shape: [3], file, offset: 3, length: 12 });
    expect([...((await sessions.single.run({ x }))['y']!.data as Float32Array)]).toEqual([3, -4, 0.5]);
    sessions.single.release([x]);
    await expect(sessions.single.run({ x })).rejects.toThrow(/was released/);
  });

  it('keep half precision, and turn bfloat16 into float32', async () => {
    const half = await sessions.half.load({ type: 'float16', shape: [2], file, offset: 40, length: 4 });
    expect([...((await sessions.half.run({ x: half }))['y']!.data as Float32Array)]).toEqual([2, -4]);
    const brain = await sessions.half.load({ type: 'bfloat16', shape: [2], file, offset: 44, length: 4 });
    expect(brain.type).toBe('float32');
    expect([...((await sessions.single.run({ x: brain }))['y']!.data as Float32Array)]).toEqual([2, -4]);
    sessions.half.release([half, brain]);
  });

  it('of equal sizes reuse memory without mixing', async () => {
    const places = [3, 7].map((offset) => ({
      type: 'float32' as const,
      shape: [2],
      file,
      offset,
      length: 8,
    }));
    for (let turn = 0; turn < 3; turn++) {
      const loaded = await Promise.all(places.map((place) => sessions.single.load(place)));
      const runs = loaded.map((x) => sessions.single.run({ x }));
      sessions.single.release(loaded);
      const found = (await Promise.all(runs)).map(({ y }) => [...(y!.data as Float32Array)]);
      expect(found).toEqual([
        [3, -4],
        [-4, 0.5],
      ]);
    }
  });

  it('are an io error if the file is short or absent', async () => {
    const place = { type: 'float32' as const, shape: [9], file, offset: 40, length: 36 };
    await expect(sessions.single.load(place)).rejects.toMatchObject({ code: 'io' });
    await expect(sessions.single.load({ ...place, file: `${file}-absent` })).rejects.toThrow(
      /absent: cannot be read/,
    );
  });

  it('are shared by sessions opened beside', async () => {
    const x = await sessions.single.load({ type: 'float32', shape: [1], file, offset: 3, length: 4 });
    const later = await createSession(doubling('float32'), { threads: 1, beside: sessions.single });
    expect([...((await later.run({ x }))['y']!.data as Float32Array)]).toEqual([3]);
    await later.dispose();
    expect([...((await sessions.single.run({ x }))['y']!.data as Float32Array)]).toEqual([3]);
  });
});
