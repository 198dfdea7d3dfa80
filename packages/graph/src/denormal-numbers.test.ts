/** Flushing of denormal numbers in threads, decided by a process's first session. Needs the build. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';

const built = new URL('../dist/index.js', import.meta.url);
const folder = mkdtempSync(join(tmpdir(), 'emac-graph-'));
afterAll(() => rmSync(folder, { recursive: true }));

it.skipIf(!existsSync(built))('all threads of sessions flush denormal numbers to 0 (needs the build)', () => {
  const script = `
    const { createSession, Graph, op } = await import(${JSON.stringify(built.href)});
    const graph = () => {
      const it = new Graph();
      it.output('y', op.scale(it.input('x', 'float32', [1]), 1e-20));
      return it;
    };
    const shared = await createSession(graph(), { threads: 1 });
    const another = await createSession(graph(), { threads: 1, thread: 'another' });
    const feeds = () => ({ x: { type: 'float32', shape: [1], data: Float32Array.of(1e-20) } });
    const found = [];
    for (const session of [shared, another]) found.push((await session.run(feeds())).y.data[0]);
    await Promise.all([shared.dispose(), another.dispose()]);
    process.stdout.write(JSON.stringify(found));`;
  const file = join(folder, 'flushes.mjs');
  writeFileSync(file, script);
  const { stdout, stderr } = spawnSync(process.execPath, [file], { encoding: 'utf8', timeout: 60_000 });
  // 1e-20 · 1e-20 = 1e-40 lies below the smallest normal number, 1.2e-38
  expect([stdout, stderr]).toEqual(['[0,0]', '']);
});
