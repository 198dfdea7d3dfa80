import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openDataset, type DatasetOptions } from './offline-dataset.ts';

const record = {
  text_input: 'You are in a room.\nYour task is to: put a mug in desk.\n>',
  text_output: ' look',
};

function opened(
  content: string,
  options: Partial<DatasetOptions> = {},
  pictures: Record<string, string> = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'emac-dataset-'));
  const path = join(folder, 'data.json');
  writeFileSync(path, content);
  for (const [name, bytes] of Object.entries(pictures)) writeFileSync(join(folder, name), bytes);
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const dataset = openDataset(path, { flag: '--data', images: null, ...options });
  onTestFinished(() => dataset.close());
  return dataset;
}

describe('a dataset', () => {
  it('may begin with a byte-order mark', () => {
    const dataset = opened(`\ufeff${JSON.stringify([record, { ...record, text_output: 'help' }])}`);
    expect([0, 1].map((index) => dataset.record(index).text_output)).toEqual(['look', 'help']);
    expect(() => opened('[\ufeff]')).toThrow(/at byte 1$/);
  });

  it('whose pairs all have equal outputs is refused for that reason', () => {
    const equal = { ...record, text_output_neg: 'look ' };
    const dropping = { pairs: 'drop-equal' } as const;
    expect(() => opened(JSON.stringify([equal]), dropping)).toThrow(
      /its only pair has equal outputs .*; give pairs that differ, or --agreed keep$/,
    );
    expect(() => opened(JSON.stringify([equal, equal]), dropping)).toThrow(
      /all its 2 pairs have equal outputs/,
    );
    expect(opened(JSON.stringify([equal]), { pairs: 'keep-equal' }).length).toBe(1);
    expect(() => opened('[]', dropping)).toThrow(/has no records/);
  });

  it('whose picture is a Git LFS pointer is refused before it is used', () => {
    const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12345\n';
    const dataset = opened(JSON.stringify([{ ...record, image: 'a.png' }]), {}, { 'a.png': pointer });
    expect(() => dataset.requirePictures(true)).toThrow(/a\.png: is a Git LFS pointer to 12345 bytes/);
  });
});
