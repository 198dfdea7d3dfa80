/** Parquet files of pyarrow and pandas (tools/reference/write_parquet.py). */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { openDataset } from './offline-dataset.ts';
import { unpacked } from './parquet-file.ts';

const fixtures = fileURLToPath(new URL('../../fixtures/', import.meta.url));

type Row = Readonly<Record<string, unknown>>;
const right = JSON.parse(readFileSync(`${fixtures}rows.json`, 'utf8')) as {
  readonly table: readonly (Row & { readonly bytes: readonly number[] })[];
  readonly pandas: readonly Row[];
};

const rowsOf = (file: string): Row[] => {
  const { files, remove } = unpacked([file]);
  onTestFinished(remove);
  return readFileSync(files[0]!, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Row);
};

describe('a Parquet file', () => {
  it.each(['snappy', 'zstd', 'gzip', 'none', 'plain'])(
    "has pyarrow's rows: %s, nested lists, nulls, whole numbers above 2³², bytes",
    (name) => {
      const table = right.table.map((row) => {
        return { ...row, bytes: `data:;base64,${Buffer.from(row.bytes).toString('base64')}` };
      });
      expect(rowsOf(`${fixtures}${name}.parquet`)).toEqual(table);
    },
  );

  it("has pandas' rows, read as pairs", () => {
    const dataset = openDataset(`${fixtures}pandas.parquet`, {
      flag: '--data',
      images: null,
      pairs: 'drop-equal',
    });
    onTestFinished(() => dataset.close());
    const read = Array.from({ length: dataset.length }, (_, index) => dataset.record(index).said!);
    expect(
      read.map(({ before, after, worse }) => ({ prompt: before, chosen: after, rejected: worse })),
    ).toEqual(right.pandas);
  });

  it('is read with others, in order, and leaves nothing behind', () => {
    const place = mkdtempSync(join(tmpdir(), 'emac-unpacking-'));
    onTestFinished(() => {
      vi.unstubAllEnvs();
      rmSync(place, { recursive: true, force: true });
    });
    vi.stubEnv('TMPDIR', place);
    const dataset = openDataset(`${fixtures}{zstd,snappy}.parquet`, { flag: '--data', images: null });
    // while it is in use, so that a process that is killed leaves nothing
    if (process.platform !== 'win32') expect(readdirSync(place)).toEqual([]);
    expect(dataset.length).toBe(8);
    expect(dataset.record(5).text_output).toBe('grün');
    // a column that is null in a row is no field of its message
    expect(dataset.record(5).said!.after[1]).toEqual({ role: 'assistant', content: 'grün' });
    dataset.close();
    const { files, remove } = unpacked([`${fixtures}none.parquet`]);
    remove();
    expect(existsSync(dirname(files[0]!))).toBe(false);
  });

  it('whose rows are many times its bytes is refused before they fill the disk', () => {
    const place = mkdtempSync(join(tmpdir(), 'emac-many-'));
    onTestFinished(() => {
      vi.unstubAllEnvs();
      rmSync(place, { recursive: true });
    });
    vi.stubEnv('TMPDIR', place);
    expect(() => unpacked([`${fixtures}none.parquet`], { times: 0.01, least: 10 })).toThrow(
      /none\.parquet: its rows are more than 54 bytes of JSON, more than 0\.01 times the file; write it anew/,
    );
    expect(readdirSync(place)).toEqual([]);
  });

  it('that is broken is named', () => {
    const folder = mkdtempSync(join(tmpdir(), 'emac-broken-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const broken = join(folder, 'a.parquet');
    writeFileSync(broken, 'PAR1 and no more');
    expect(() => unpacked([broken])).toThrow(/a\.parquet: cannot be read as Parquet \(.+\)/);
  });

  const place = mkdtempSync(join(tmpdir(), 'emac-full-'));
  afterAll(() => rmSync(place, { recursive: true }));
  const mounted = `mount -t tmpfs -o size=8k none "${place}"`;
  const mounts = spawnSync('unshare', ['-rm', 'sh', '-c', mounted]).status === 0;

  it.skipIf(!mounts)('is not cut short on a full disk: its reader ends with 74', () => {
    const program = fileURLToPath(new URL('../../worker/parquet-lines.mjs', import.meta.url));
    const reading = `"${process.execPath}" "${program}" "${fixtures}pictures.parquet" "${place}/out.jsonl"`;
    const { status, stderr } = spawnSync('unshare', ['-rm', 'sh', '-c', `${mounted} && ${reading}`], {
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([74, expect.stringContaining('ENOSPC')]);
  });
});
