/**
 * Equal bytes depend on the seed, the settings, the number of threads and the processor. They do not depend on the day, the place, the language, or on when
 * threads get a core. Needs the compiled command.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../captured-io.test.fixture.ts';

const program = fileURLToPath(new URL('../../bin/emac.mjs', import.meta.url));
const isBuilt = existsSync(new URL('../../dist/main.js', import.meta.url));
const canPin = spawnSync('taskset', ['-c', '0', 'true']).status === 0;
const folder = temporaryFolder();
const flags =
  'train --phase bc,dpo --rounds 1 --games-per-round 2 --max-steps 3 --updates-per-episode 1 --beams 2 --eval-games 0 --probe none --agreed random'.split(
    ' ',
  );

interface Circumstances {
  readonly name: string;
  /** the core all threads are pinned to, if the system can */
  readonly core: number;
  readonly env?: NodeJS.ProcessEnv;
}

async function bytesOf({ name, core, env = {} }: Circumstances): Promise<Map<string, string>> {
  const place = join(folder, name);
  mkdirSync(place);
  const argv = [process.execPath, program, ...flags, '--seed', '0', '--out', 'runs'];
  const [command, ...rest] = canPin ? ['taskset', '-c', `${core}`, ...argv] : argv;
  const child = spawn(command!, rest, { cwd: place, env: { PATH: process.env['PATH'], ...env } });
  let said = '';
  child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()));
  child.stdout.resume();
  const status = await new Promise((resolve) => child.on('close', resolve));
  expect(status, said).toBe(0);
  return bytesIn(join(place, 'runs'));
}

/** By phase and file: `metrics.jsonl` and every file of every checkpoint. */
function bytesIn(out: string): Map<string, string> {
  const runs = readdirSync(out).filter((each) => !each.startsWith('.'));
  const files = runs.sort().flatMap((run, phase) => {
    const inside = join(out, run);
    const checkpoints = readdirSync(join(inside, 'checkpoints'), { recursive: true, encoding: 'utf8' });
    const steps = checkpoints.filter((each) => each.includes('/')).map((each) => join('checkpoints', each));
    return ['metrics.jsonl', ...steps].map(
      (file) => [`${phase} ${file}`, readFileSync(join(inside, file)).toString('base64')] as const,
    );
  });
  return new Map(files.sort());
}

describe.skipIf(!isBuilt)('equal bytes (needs the build)', () => {
  it('follow from seed, settings, number of threads and processor alone', async () => {
    const lastCore = canPin ? availableParallelism() - 1 : 0;
    const here = { TZ: 'UTC', LANG: 'C' };
    const there = { TZ: 'Pacific/Auckland', LANG: 'tr_TR.UTF-8', EMAC_TEST: 'x'.repeat(5000) };
    // side by side, so that threads wait now and then
    const [one, two] = await Promise.all([
      bytesOf({ name: 'one', core: 0, env: here }),
      bytesOf({ name: 'two', core: lastCore, env: there }),
    ]);
    const names = [...one.keys()];
    expect(names.filter((name) => name.endsWith('metrics.jsonl'))).toHaveLength(2);
    for (const file of ['projection.safetensors', 'optimizer.safetensors', 'state.json', 'MANIFEST.json'])
      expect(names.filter((name) => name.endsWith(`/${file}`)).length, file).toBeGreaterThan(2);
    expect([...two.keys()]).toEqual(names);
    expect(names.filter((name) => one.get(name) !== two.get(name))).toEqual([]);
    // without this, a run that ignores the seed would pass
    const out = join(folder, 'seed');
    expect(await emac([...flags, '--seed', '1', '--out', out])).toMatchObject({ status: 0 });
    const seed = bytesIn(out);
    for (const name of ['0 metrics.jsonl', '1 metrics.jsonl'])
      expect(one.get(name), name).not.toBe(seed.get(name));
  });
});
