import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createSession, Graph, keepSessions, op, type Value } from './index.ts';
import { keeping } from './kept-sessions.ts';
import type { Model, RunningThread } from './running-thread.ts';

beforeEach(() => keepSessions(2));
afterEach(() => keepSessions(0));

/** A thread that says what it is asked. */
function listening() {
  const asked: string[] = [];
  const say = (word: string): Promise<void> => Promise.resolve(void asked.push(word));
  const thread: RunningThread = {
    create: (session) => say(`create ${session}`),
    run: async (session) => {
      await say(`run ${session}`);
      return {};
    },
    load: () => Promise.reject(new Error('nothing is loaded')),
    forget: () => Promise.resolve(),
    release: (session) => say(`release ${session}`),
  };
  return { asked, thread: keeping(thread) };
}

const cpu = { executionProviders: ['cpu'] };
const [one, other, third] = [1, 2, 3].map((byte) => ({ bytes: Uint8Array.of(byte) })) as [
  Model,
  Model,
  Model,
];
const nothing = { outputs: [], keep: [] };

describe('a closed session', () => {
  it('is opened again for an equal graph with equal options, and runs', async () => {
    const { asked, thread } = listening();
    await thread.create(0, one, cpu);
    await thread.release(0);
    await thread.create(1, { bytes: Uint8Array.from(one.bytes) }, { ...cpu });
    await thread.run(1, {}, nothing);
    expect(asked).toEqual(['create 0', 'run 0']);
  });

  it.each([
    { what: 'another graph', model: other, options: cpu },
    { what: 'other options', model: one, options: { ...cpu, intraOpNumThreads: 2 } },
    { what: 'another provider', model: one, options: { executionProviders: ['webgpu'] } },
    { what: 'a profile', model: one, options: { ...cpu, enableProfiling: true } },
  ])('is not opened for $what', async ({ model, options }) => {
    const { asked, thread } = listening();
    await thread.create(0, one, cpu);
    await thread.release(0);
    await thread.create(1, model, options);
    expect(asked).toEqual(['create 0', 'create 1']);
  });

  it('is not opened once a file of its weights has changed', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'emac-kept-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const weights = join(folder, 'weights.bin');
    writeFileSync(weights, 'abcd');
    const stored = { ...one, weights: [weights] };
    const { asked, thread } = listening();
    await thread.create(0, stored, cpu);
    await thread.release(0);
    await thread.create(1, stored, cpu);
    await thread.release(1);
    // equal in size, changed later
    writeFileSync(weights, 'efgh');
    utimesSync(weights, 1, 1);
    await thread.create(2, stored, cpu);
    expect(asked).toEqual(['create 0', 'create 2']);
  });

  it('is for one at a time', async () => {
    const { asked, thread } = listening();
    await thread.create(0, one, cpu);
    await thread.create(1, one, cpu);
    await thread.release(0);
    await thread.create(2, one, cpu);
    await thread.create(3, one, cpu);
    await thread.run(2, {}, nothing);
    await thread.run(1, {}, nothing);
    expect(asked).toEqual(['create 0', 'create 1', 'create 3', 'run 0', 'run 1']);
  });

  it('ends when later ones take its place, and all do unless they are to be kept', async () => {
    const { asked, thread } = listening();
    for (const [session, model] of [one, other, third].entries()) {
      await thread.create(session, model, cpu);
      await thread.release(session);
    }
    expect(asked).toEqual(['create 0', 'create 1', 'create 2', 'release 0']);
    keepSessions(0);
    await thread.create(3, one, cpu);
    await thread.release(3);
    expect(asked.slice(4)).toEqual(['create 3', 'release 3']);
  });
});

it('an equal graph that is opened again computes as before, each with its own inputs', async () => {
  const results: unknown[] = [];
  for (const value of [3, 4]) {
    const graph = new Graph();
    graph.output('y', op.square(graph.input('x', 'float32', [1])));
    const session = await createSession(graph);
    const x: Value = { type: 'float32', shape: [1], data: Float32Array.of(value) };
    const pending = session.run({ x });
    // a run that was called before the end is done
    await session.dispose();
    results.push([...(await pending)['y']!.data]);
    await expect(session.run({ x })).rejects.toThrow('disposed');
  }
  expect(results).toEqual([[9], [16]]);
});
