/** ONNX Runtime's statistics: traces of a fresh process, only visible from outside it. Needs the build. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';

const built = new URL('../dist/index.js', import.meta.url);
const folder = mkdtempSync(join(tmpdir(), 'emac-graph-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The files that a process running a graph leaves in its home, cache and temporary folders, and its variable. */
function left(name: string, env: Readonly<Record<string, string>> = {}) {
  const place = join(folder, name);
  mkdirSync(place);
  const script = join(folder, `${name}.mjs`);
  writeFileSync(
    script,
    `const { createSession, Graph, op } = await import(${JSON.stringify(built.href)});
    const graph = new Graph();
    graph.output('y', op.negate(graph.input('x', 'float32', [1])));
    const session = await createSession(graph);
    await session.run({ x: { type: 'float32', shape: [1], data: Float32Array.of(1) } });
    await session.dispose();
    console.log(process.env.ORT_DISABLE_TELEMETRY);`,
  );
  const { stdout, stderr } = spawnSync(process.execPath, [script], {
    encoding: 'utf8',
    // without CI, where nothing is sent anyway
    env: { PATH: process.env['PATH'], HOME: place, XDG_CACHE_HOME: place, TMPDIR: place, ...env },
  });
  return { said: stdout + stderr, files: readdirSync(place, { recursive: true }) };
}

describe.skipIf(!existsSync(built))('ONNX Runtime (needs the build)', () => {
  it('is told before loading to send and keep no statistics', () => {
    expect(left('off')).toEqual({ said: '1\n', files: [] });
  });

  it("keeps the user's own setting", () => {
    expect(left('set', { ORT_DISABLE_TELEMETRY: 'true' }).said).toBe('true\n');
  });
});
