/**
 * Every method in every kind of environment: a run of seconds ends with a checkpoint, and its name alone is enough to evaluate it. A test compares the table
 * in `docs/reference/methods-and-environments.md` with the cells here. Worlds over HTTP are tested in `runs/remote-world.test.ts`, kills and workers in
 * `kills.test.ts`.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { emac, temporaryFolder } from '../captured-io.test.fixture.ts';
import { cellsIn, kinds, playing, runIn } from './cells.test.fixture.ts';

const folder = temporaryFolder();
const cells = cellsIn(folder, 1);

async function done(argv: readonly string[]): Promise<string> {
  const { status, stdout, stderr } = await emac(argv);
  expect(status, stderr).toBe(0);
  return stdout;
}

describe.each(kinds)('in %s', (kind) => {
  const outOf = (method: string): string => join(folder, `${method} ${kind}`);

  it.each(playing)('%s trains, keeps a checkpoint, and evaluates by its run’s name', async (method) => {
    const out = outOf(method);
    await done(['train', ...cells.train(method, kind, () => runIn(outOf('bc'))), '--out', out]);
    const run = runIn(out);
    expect(existsSync(join(run, 'DONE'))).toBe(true);
    expect(readFileSync(join(run, 'metrics.jsonl'), 'utf8')).toContain('"kind":"update"');
    const count = method === 'ppo' ? '--num-episodes' : '--num-games';
    const result = await done(['eval', '--ckpt', run, ...cells.code(kind), count, '1', '--json']);
    expect(JSON.parse(result)).toMatchObject({ games: [{ seen_in_training: false }] });
  });

  it('sft learns a dataset and is evaluated in the environment of its collection', async () => {
    const [data, out] = [outOf('data'), outOf('sft')];
    await done([...cells.collect(kind), '--out', data]);
    await done(['train', ...cells.sft(kind, data), '--out', out]);
    const run = runIn(out);
    expect(existsSync(join(run, 'DONE'))).toBe(true);
    const count = cells.place(kind).length === 0 ? '--num-games' : '--num-episodes';
    const result = await done(['eval', '--ckpt', run, ...cells.place(kind), count, '1', '--json']);
    expect(result).toContain('"games"');
  });
});

describe('the table of the documents', () => {
  it('marks exactly the cells tested here as working', () => {
    const page = new URL('../../../../docs/reference/methods-and-environments.md', import.meta.url);
    const rows = readFileSync(page, 'utf8')
      .split('\n')
      .filter((line) => line.startsWith('| '));
    const [, ...heads] = rows[0]!.split('|').map((cell) => cell.trim());
    const table = new Map(
      rows.slice(2).map((row) => {
        const [, name, ...cells] = row.split('|').map((cell) => cell.trim());
        return [name!, new Map(cells.map((cell, place) => [heads[place + 1], cell]))] as const;
      }),
    );
    for (const kind of [...kinds, 'a world over HTTP'])
      for (const method of ['bc', 'dpo', 'ppo', 'grpo', 'sft'])
        expect([kind, method, table.get(kind)?.get(method)]).toEqual([kind, method, 'yes']);
  });
});
