import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createRun } from '@emac/runs';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../captured-io.test.fixture.ts';
import { runNamed } from './run-name.ts';

const folder = temporaryFolder();
const runs = {
  '2026-11-20T0900-bc-s0-aaaa': '2026-11-20T09:00:10Z',
  '2026-11-20T0900-dpo-s0-bbbb': '2026-11-20T09:00:20Z',
  // started in the same minute, after the run with the later name
  '2026-11-22T1106-bc-s0-cccc': '2026-11-22T11:06:30Z',
  '2026-11-22T1106-dpo-s0-dddd': '2026-11-22T11:06:02Z',
};
for (const [name, started] of Object.entries(runs)) {
  mkdirSync(join(folder, name));
  writeFileSync(
    join(folder, name, 'run.json'),
    JSON.stringify({ v: 1, started, title: `try ${started.slice(8, 10)}` }),
  );
}
mkdirSync(join(folder, '2026-12-01-notes'));
const named = (name: string) => runNamed(name, { folder });

describe('the name of a run', () => {
  it('may be latest or the beginning of a name, with a checkpoint', () => {
    const last = join(folder, '2026-11-22T1106-bc-s0-cccc');
    expect(named('latest')).toBe(last);
    expect(named('latest@best')).toBe(`${last}@best`);
    expect(named('try 22@best')).toBe(`${last}@best`);
    expect(named('2026-11-22T1106-b')).toBe(last);
    expect(named('2026-11-20T0900-d@00000004')).toBe(
      `${join(folder, '2026-11-20T0900-dpo-s0-bbbb')}@00000004`,
    );
  });

  it('is the latest of an environment, by its name, short name or any path of its file', () => {
    const there = join(folder, 'of-environments');
    const envs = { first: 'MiniGrid-Empty-5x5-v0', second: './walk.mjs', third: undefined };
    Object.entries(envs).forEach(([name, env], minute) => {
      createRun({
        out: join(there, name),
        phase: 'bc',
        seed: 0,
        config: { env },
        versions: {},
        now: () => new Date(60_000 * minute),
      });
    });
    const runs = join(there, 'all');
    mkdirSync(runs);
    for (const name of Object.keys(envs))
      renameSync(join(there, name, readdirSync(join(there, name))[0]!), join(runs, name));
    const latest = (env: string) => runNamed('latest', { folder: runs, env });
    expect(['MiniGrid-Empty-5x5', resolve('walk.mjs'), './walk.mjs', 'alfworld'].map(latest)).toEqual(
      ['first', 'second', 'second', 'third'].map((name) => join(runs, name)),
    );
    expect(() => latest('MiniGrid-Empty-6x6-v0')).toThrow('latest: no run in');
  });

  it('must match one run', () => {
    expect(() => named('2026-11-20')).toThrow(/2 runs in .* begin like this/);
    expect(() => named('2026-11-22T1107-bc-s0-cccc')).toThrow(/did you mean .*2026-11-22T1106-bc-s0-cccc/);
  });

  it('stays as it is for a path, a special word, or an unknown name', () => {
    for (const name of [folder, 'model', 'random', 'emma-tiny', 'elsewhere/run', '2026-12-01-notes'])
      expect(named(name)).toBe(name);
  });
});
