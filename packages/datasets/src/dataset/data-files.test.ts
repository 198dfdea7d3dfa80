import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { datasetFile, filesNamed } from './data-files.ts';
import { openDataset } from './offline-dataset.ts';

function folderOf(files: readonly string[], content = (name: string) => `{"text": "${name}"}\n`): string {
  const folder = mkdtempSync(join(tmpdir(), 'emac-data-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, 'data'));
  for (const name of files) writeFileSync(join(folder, name), content(name));
  return folder;
}

const named = (folder: string, isHeldOut: boolean) =>
  filesNamed(datasetFile(folder, isHeldOut), '--data').map((file) => file.slice(folder.length + 1));

describe('files of a dataset', () => {
  it.each([
    [['train.json', 'val.json', 'more.jsonl'], ['train.json'], ['val.json']],
    [['train.jsonl', 'validation.jsonl', 'test.jsonl'], ['train.jsonl'], ['validation.jsonl']],
    [
      ['data/train-00001.jsonl', 'data/train-00000.jsonl', 'data/dev.jsonl'],
      ['data/train-00000.jsonl', 'data/train-00001.jsonl'],
      ['data/dev.jsonl'],
    ],
    // trains.jsonl is no split, values.json no validation
    [
      ['trains.jsonl', 'values.json', 'README.md'],
      ['trains.jsonl', 'values.json'],
      ['trains.jsonl', 'values.json'],
    ],
  ])('%j: in a folder, told apart by their names', (files, training, validation) => {
    const folder = folderOf(files);
    expect(named(folder, false)).toEqual(training);
    expect(named(folder, true)).toEqual(validation);
  });

  it('are those that a pattern names, read in order as one', () => {
    const folder = folderOf(['b.jsonl', 'a.jsonl', 'data/c.jsonl', 'a.txt']);
    const dataset = openDataset(join(folder, '*.jsonl'), { flag: '--data', images: null });
    expect([0, 1].map((index) => dataset.record(index).text_output)).toEqual(['a.jsonl', 'b.jsonl']);
    dataset.close();
    expect(filesNamed(join(folder, '?.jsonl'), '--data')).toHaveLength(2);
    expect(filesNamed(join(folder, 'd*', '*.jsonl'), '--data')).toHaveLength(1);
    expect(() => filesNamed(join(folder, '*.csv'), '--data')).toThrow(/--data .*\*\.csv: names no file/);
    expect(() => filesNamed(join(folder, 'none.json'), '--data')).toThrow(/does not exist/);
  });

  it('are JSON lists or lines, which may end without a line break but not inside a record', () => {
    const line = '{"text": "}"}';
    const read = (content: string) => {
      const folder = folderOf(['a.jsonl'], () => content);
      const dataset = openDataset(join(folder, 'a.jsonl'), { flag: '--data', images: null });
      onTestFinished(() => dataset.close());
      return dataset.length;
    };
    expect([`${line}\n${line}`, `\ufeff${line}\r\n\n${line}\n`, `[${line},${line}]`].map(read)).toEqual([
      2, 2, 2,
    ]);
    expect(() => read(`${line}\n{"text": "a`)).toThrow(
      /a JSON object a line; it ends after 1 records, it was cut short/,
    );
    expect(() => read(`${line}\n,${line}`)).toThrow(/object expected after 1 records, at byte 14/);
  });

  it('may label completions: bad ones are skipped and counted', () => {
    const labels = [true, false, true].map((label) =>
      JSON.stringify({ prompt: 'a', completion: 'b', label }),
    );
    const folder = folderOf(['a.jsonl'], () => labels.join('\n'));
    const open = (more: object) => {
      const dataset = openDataset(join(folder, 'a.jsonl'), { flag: '--data', images: null, ...more });
      onTestFinished(() => dataset.close());
      return dataset;
    };
    expect([open({}).length, open({}).badOnes, open({}).number(1)]).toEqual([2, 1, 2]);
    expect(open({ labels: true }).length).toBe(3);
    // in place of pairs, but not beside them
    expect(() => open({ pairs: 'drop-equal' })).toThrow(/record 0: .*are missing/);
    expect(open({ pairs: 'drop-equal', labels: true }).length).toBe(3);
    writeFileSync(
      join(folder, 'a.jsonl'),
      [...labels, JSON.stringify({ prompt: 'a', chosen: 'b', rejected: 'c' })].join('\n'),
    );
    expect(() => open({ pairs: 'drop-equal', labels: true })).toThrow(
      /record 3: pairs and completions with a label stand in one dataset/,
    );
  });
});
