/** A process that exits while a graph runs: only visible from outside the process. Needs the build. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const built = new URL('../dist/index.js', import.meta.url);
const folder = mkdtempSync(join(tmpdir(), 'emac-graph-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a graph of `products` products of 600 × 600 numbers and executes `then` once the run has begun. */
function ended(products: number, then: string, thread: 'worker' | 'another' = 'worker') {
  const script = `
    const { createSession, Graph, op } = await import(${JSON.stringify(built.href)});
    const graph = new Graph();
    const x = graph.input('x', 'float32', ['N', 'N']);
    let y = x;
    for (let i = 0; i < ${products}; i++) y = op.matMul(y, x, { scale: 1e-3 });
    graph.output('y', op.reduceSum(y, [0, 1]));
    const session = await createSession(graph, { thread: '${thread}' });
    const run = () => session.run({ x: { type: 'float32', shape: [600, 600], data: new Float32Array(360000) } });
    const runs = [run(), run(), run()];
    ${then}`;
  const file = join(folder, 'ends.mjs');
  writeFileSync(file, script);
  const { status, signal, stderr } = spawnSync(process.execPath, [file], {
    encoding: 'utf8',
    timeout: 60_000,
    killSignal: 'SIGKILL',
  });
  return { status, signal, stderr };
}

describe.skipIf(!existsSync(built))('a process that exits while a graph runs (needs the build)', () => {
  it.each(['worker', 'another'] as const)(
    'exits with its own status: the current run finishes, and no other begins (%s)',
    (thread) => {
      const { status, signal, stderr } = ended(40, 'setTimeout(() => process.exit(7), 50);', thread);
      expect([status, signal, stderr]).toEqual([7, null, '']);
    },
  );

  it.each(['worker', 'another'] as const)(
    'exits with its own status while ONNX Runtime is loaded, and between runs (%s)',
    (thread) => {
      for (const then of ['process.exit(7);', 'await Promise.all(runs); process.exit(7);', ''])
        expect(ended(2, then, thread)).toEqual({ status: then === '' ? 0 : 7, signal: null, stderr: '' });
    },
  );

  it('ends at once by an unhandled signal', () => {
    const { status, signal } = ended(40, "setTimeout(() => process.kill(process.pid, 'SIGTERM'), 50);");
    expect([status, signal]).toEqual([null, 'SIGTERM']);
  });
});
