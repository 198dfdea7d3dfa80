import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import {
  createSession,
  createSessions,
  encodeModel,
  Graph,
  nodesOnCpu,
  op,
  type KeptValue,
  type Value,
} from './index.ts';
import { mainThread, workerThread } from './session-thread.ts';

const float = (shape: number[], ...values: number[]): Value => ({
  type: 'float32',
  shape,
  data: Float32Array.from(values),
});

describe('Session', () => {
  it('computes in a worker thread while timers keep ticking', async () => {
    const graph = new Graph();
    const x = graph.input('x', 'float32', ['N', 'N']);
    let y = x;
    for (let i = 0; i < 8; i++) y = op.matMul(y, x, { scale: 1e-3 });
    graph.output('y', op.reduceSum(y, [0, 1]));
    const session = await createSession(graph);
    let ticks = 0;
    const timer = setInterval(() => ticks++, 1);
    const size = 600;
    const result = await session.run({
      x: { type: 'float32', shape: [size, size], data: new Float32Array(size * size).fill(0.01) },
    });
    clearInterval(timer);
    await session.dispose();
    // each product multiplies every element by 600 · 0.01 · 1e-3 = 6e-3
    const expected = size * size * 0.01 * 6e-3 ** 8;
    expect((result['y']!.data as Float32Array)[0]! / expected).toBeCloseTo(1, 3);
    expect(ticks).toBeGreaterThan(0);
  });

  it('reads a weight in place from any byte offset, also through a symbolic link', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'emac-graph-'));
    const bytes = new Uint8Array(3 + 16);
    bytes.set(new Uint8Array(Float32Array.of(1, 2, 3, 4).buffer), 3);
    writeFileSync(join(folder, 'weights.bin'), bytes);
    symlinkSync(join(folder, 'weights.bin'), join(folder, 'link.bin'));
    const graph = new Graph();
    const weight = graph.external('w', 'float32', {
      shape: [2, 2],
      file: join(folder, 'link.bin'),
      offset: 3,
      length: 16,
    });
    graph.output('y', op.linear(graph.input('x', 'float32', ['B', 2]), weight));
    const session = await createSession(graph);
    // [1 10]·[[1 2] [3 4]]ᵀ = [1+20, 3+40]
    expect((await session.run({ x: float([1, 2], 1, 10) }))['y']!.data).toEqual(Float32Array.of(21, 43));
    await session.dispose();
  });

  it('casts a half-precision weight once, or in every run if constants are not folded', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'emac-graph-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    // 1, 2, 3 and 4 in half precision
    writeFileSync(join(folder, 'weights.bin'), Uint16Array.of(0x3c00, 0x4000, 0x4200, 0x4400));
    const place = { shape: [2, 2], file: join(folder, 'weights.bin'), offset: 0, length: 8 };
    for (const foldConstants of [true, false]) {
      const graph = new Graph();
      const weight = op.cast(graph.external('w', 'float16', place), 'float32');
      graph.output('y', op.linear(graph.input('x', 'float32', ['B', 2]), weight));
      const profile = join(folder, `${foldConstants}-`);
      const session = await createSession(graph, { foldConstants, profile });
      expect((await session.run({ x: float([1, 2], 1, 10) }))['y']!.data).toEqual(Float32Array.of(21, 43));
      await session.dispose();
      const [written] = readdirSync(folder).filter((name) => name.startsWith(`${foldConstants}-`));
      const nodes = nodesOnCpu(readFileSync(join(folder, written!), 'utf8'));
      expect(nodes.some(({ operator }) => operator === 'Cast')).toBe(!foldConstants);
    }
  });

  it('names an input that is missing or has another shape', async () => {
    const graph = new Graph();
    graph.output('y', op.negate(graph.input('x', 'float32', ['B', 2])));
    const session = await createSession(graph);
    await expect(session.run({})).rejects.toThrow(/input "x" is missing/);
    await expect(session.run({ x: float([1, 3], 1, 2, 3) })).rejects.toThrow(
      /"x" must be float32 \[B, 2\], got float32 \[1, 3\]/,
    );
    await session.dispose();
  });

  it('rejects an absent provider and says how to get it', async () => {
    const graph = new Graph();
    graph.output('y', op.negate(graph.input('x', 'float32', [1])));
    vi.stubEnv('NVIDIA_TF32_OVERRIDE', undefined);
    onTestFinished(() => void vi.unstubAllEnvs());
    await expect(createSession(graph, { provider: 'cuda' })).rejects.toMatchObject({ code: 'unavailable' });
    // read by NVIDIA's libraries when they load
    expect(process.env['NVIDIA_TF32_OVERRIDE']).toBe('0');
  });
});

/** `double`: y = 2x; `sum`: s = a + b, shapes [B, 2]. */
function twoGraphs(): { double: Graph; sum: Graph } {
  const double = new Graph();
  const x = double.input('x', 'float32', ['B', 2]);
  double.output('y', op.scale(x, 2));
  double.output('z', op.negate(x));
  const sum = new Graph();
  sum.output('s', op.add(sum.input('a', 'float32', ['B', 2]), sum.input('b', 'float32', ['B', 2])));
  return { double, sum };
}

interface ThreadReport {
  readonly workers: readonly ThreadReport[];
}

/** Worker threads of this process, including those started by workers. */
function workerCount(): number {
  const under = ({ workers }: ThreadReport): number =>
    workers.reduce((sum, worker) => sum + 1 + under(worker), 0);
  return under(process.report.getReport() as unknown as ThreadReport);
}

describe.each(['worker', 'main', 'another'] as const)('sessions created together (%s)', (thread) => {
  it('feed each other values that stay in their thread', async () => {
    const { double, sum } = await createSessions(twoGraphs(), { thread });
    const { values, kept } = await double.runKeeping({ x: float([1, 2], 1, 10) }, ['y']);
    expect(Object.keys(values)).toEqual(['z']);
    expect(values['z']!.data).toEqual(Float32Array.of(-1, -10));
    expect(Object.keys(kept)).toEqual(['y']);
    expect(kept['y']).toMatchObject({ type: 'float32', shape: [1, 2] });
    expect(kept['y']).not.toHaveProperty('data');
    // the same handle twice and again: 2x + 2x, then 2x + b
    const y = kept['y']!;
    expect((await sum.run({ a: y, b: y }))['s']!.data).toEqual(Float32Array.of(4, 40));
    const second = await sum.runKeeping({ a: y, b: float([1, 2], 0.5, 0.25) }, ['s']);
    expect(second.values).toEqual({});
    const last = await double.run({ x: second.kept['s']! });
    expect(last['y']!.data).toEqual(Float32Array.of(5, 40.5));
    await Promise.all([double.dispose(), sum.dispose()]);
  });

  it('omit skipped outputs', async () => {
    const { double, sum } = await createSessions(twoGraphs(), { thread });
    const { values, kept } = await double.runKeeping({ x: float([1, 2], 1, 10) }, ['z'], ['y']);
    expect(values).toEqual({});
    const twice = await sum.run({ a: kept['z']!, b: kept['z']! });
    expect(twice['s']!.data).toEqual(Float32Array.of(-2, -20));
    await Promise.all([double.dispose(), sum.dispose()]);
  });

  it('reject values that were released, belong to others or do not exist', async () => {
    const [mine, others] = await Promise.all([1, 2].map(() => createSessions(twoGraphs(), { thread })));
    const { kept } = await mine!.double.runKeeping({ x: float([1, 2], 1, 10) }, ['y', 'z']);
    const b = float([1, 2], 0, 0);
    await expect(others!.sum.run({ a: kept['y']!, b })).rejects.toThrow(/input "a" is a kept value that/);
    mine!.sum.release([kept['y']!]);
    mine!.sum.release([kept['y']!]);
    await expect(mine!.sum.run({ a: kept['y']!, b })).rejects.toThrow(/was released/);
    // its sibling still works
    expect((await mine!.sum.run({ a: kept['z']!, b }))['s']!.data).toEqual(Float32Array.of(-1, -10));
    await expect(mine!.sum.runKeeping({ a: b, b }, ['t'])).rejects.toThrow(/has no output "t"/);
    for (const { double, sum } of [mine!, others!]) await Promise.all([double.dispose(), sum.dispose()]);
  });

  it('work after a failed run, until each is disposed', async () => {
    const { double, sum } = await createSessions(twoGraphs(), { thread });
    const two = float([2, 2], 1, 2, 3, 4);
    const three = float([3, 2], 1, 2, 3, 4, 5, 6);
    // both are [B, 2], but not for the same B
    await expect(sum.run({ a: two, b: three })).rejects.toMatchObject({ code: 'internal' });
    expect((await sum.run({ a: two, b: two }))['s']!.data).toEqual(Float32Array.of(2, 4, 6, 8));
    await sum.dispose();
    await sum.dispose();
    await expect(sum.run({ a: two, b: two })).rejects.toMatchObject({ code: 'internal' });
    expect((await double.run({ x: two }))['y']!.data).toEqual(Float32Array.of(2, 4, 6, 8));
    await double.dispose();
    await expect(double.run({ x: two })).rejects.toThrow(/is disposed/);
  });
});

describe('the worker thread of sessions', () => {
  it('is one for all sessions and ends with the last', async () => {
    const before = workerCount();
    const { double, sum } = await createSessions(twoGraphs());
    const other = await createSession(twoGraphs().double);
    expect(workerCount()).toBe(before + 1);
    await Promise.all([double.dispose(), sum.dispose()]);
    expect(workerCount()).toBe(before + 1);
    const x = float([1, 2], 1, 2);
    expect((await other.run({ x }))['y']!.data).toEqual(Float32Array.of(2, 4));
    await other.dispose();
    expect(workerCount()).toBe(before);
    const next = await createSession(twoGraphs().double);
    expect((await next.run({ x }))['y']!.data).toEqual(Float32Array.of(2, 4));
    await next.dispose();
  });

  it('is separate on request, and ends with its own sessions', async () => {
    const before = workerCount();
    const session = await createSession(twoGraphs().double);
    const another = await createSession(twoGraphs().double, { thread: 'another' });
    const beside = await createSession(twoGraphs().double, { beside: another });
    expect(workerCount()).toBe(before + 2);
    const x = float([1, 2], 1, 2);
    for (const each of [session, another, beside])
      expect((await each.run({ x }))['y']!.data).toEqual(Float32Array.of(2, 4));
    // the shared one outlives the threads it started
    await session.dispose();
    await another.dispose();
    expect((await beside.run({ x }))['y']!.data).toEqual(Float32Array.of(2, 4));
    await beside.dispose();
    await vi.waitFor(() => expect(workerCount()).toBe(before));
    await expect(another.run({ x })).rejects.toThrow(/is disposed/);
  });

  it('ends when a graph is rejected', async () => {
    const before = workerCount();
    const refused = new Graph();
    const x = refused.input('x', 'float32', [2]);
    refused.output('y', refused.node('NoSuchOperator', [x], { type: 'float32', shape: [2] }));
    const attempt = createSessions({ ...twoGraphs(), refused });
    await expect(attempt).rejects.toMatchObject({ code: 'internal' });
    expect(workerCount()).toBe(before);
  });

  it.each(['worker', 'main', 'another'] as const)(
    'ends after the runs that were called before (%s)',
    async (thread) => {
      const session = await createSession(twoGraphs().double, { thread });
      const x: Value = { type: 'float32', shape: [250_000, 2], data: new Float32Array(500_000).fill(1) };
      const runs = Array.from({ length: 5 }, () => session.run({ x }));
      await session.dispose();
      for (const results of await Promise.all(runs)) expect(Object.values(results)[0]!.data.at(-1)).toBe(2);
    },
  );

  it('rejects calls when it ends unexpectedly, and restarts for new sessions', async () => {
    const session = await createSession(twoGraphs().double);
    const x = float([1, 2], 1, 2);
    const thread = workerThread();
    // an unknown method ends in the runner's own error, an invalid model in ONNX Runtime's
    await expect(thread.create(-1, { bytes: new Uint8Array(4) }, {})).rejects.toThrow(/protobuf|model/i);
    await Promise.all([thread.leave(), thread.leave()]);
    await expect(session.run({ x })).rejects.toThrow(/worker has ended/);
    const next = await createSession(twoGraphs().double);
    expect((await next.run({ x }))['y']!.data).toEqual(Float32Array.of(2, 4));
    await session.dispose();
    expect((await next.run({ x }))['y']!.data).toEqual(Float32Array.of(2, 4));
    await next.dispose();
  });

  it('frees kept values of disposed sessions', async () => {
    const { double, sum } = await createSessions(twoGraphs());
    const other = await createSession(twoGraphs().double);
    const { kept } = await double.runKeeping({ x: float([1, 2], 1, 2) }, ['y']);
    await Promise.all([double.dispose(), sum.dispose()]);
    const thread = workerThread();
    await thread.create(-1, { bytes: encodeModel(twoGraphs().double) }, {});
    await expect(thread.run(-1, { x: kept['y']! }, { outputs: ['y'], keep: [] })).rejects.toThrow();
    await thread.release(-1);
    await thread.leave();
    await other.dispose();
  });

  it('rejects feeds that cannot be sent, and continues', async () => {
    const { double } = twoGraphs();
    const session = await createSession(double);
    const unsendable = { ...float([1, 2], 1, 2), note: () => 'a function cannot be cloned' };
    await expect(session.run({ x: unsendable })).rejects.toThrow(/could not be cloned/);
    expect((await session.run({ x: float([1, 2], 1, 2) }))['y']!.data).toEqual(Float32Array.of(2, 4));
    await session.dispose();
  });

  it.each(['worker', 'another'] as const)('lets the process end while it is idle (%s)', async (thread) => {
    const alive = () =>
      process.getActiveResourcesInfo().filter((resource) => resource === 'MessagePort').length;
    const before = alive();
    const { double } = twoGraphs();
    const session = await createSession(double, { thread });
    const run = session.run({ x: float([1, 2], 1, 2) });
    expect(alive()).toBeGreaterThan(before);
    await run;
    expect(alive()).toBe(before);
    await session.dispose();
  });

  it('frees released values', async () => {
    const thread = await mainThread();
    const { double } = twoGraphs();
    await thread.create(0, { bytes: encodeModel(double) }, {});
    const { y } = await thread.run(0, { x: float([1, 2], 1, 2) }, { outputs: ['y'], keep: ['y'] });
    await thread.run(0, { x: y! }, { outputs: ['y'], keep: [] });
    await thread.forget([(y as KeptValue).kept]);
    await expect(thread.run(0, { x: y! }, { outputs: ['y'], keep: [] })).rejects.toThrow();
    await thread.release(0);
  });
});

describe('Graph', () => {
  it('rejects mismatched shapes while it is built', () => {
    const graph = new Graph();
    const a = graph.input('a', 'float32', ['B', 3]);
    const b = graph.input('b', 'float32', ['B', 4]);
    expect(() => op.add(a, b)).toThrow('Add: shapes must agree or be 1, got [B, 3] and [B, 4]');
    expect(() => op.matMul(a, b)).toThrow(/inner dimensions must agree/);
    expect(() => op.reshape(a, ['B', 2])).toThrow(/sizes must agree/);
  });
});
