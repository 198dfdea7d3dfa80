import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createFolder } from '@emac/files';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { differences } from './compare-runs.ts';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'emac-compare-'))));
afterEach(() => rmSync(folder, { recursive: true }));

const same = {
  'metrics.jsonl': '{"loss":1}\n',
  'eval-before.json': '{"games":[]}',
  'checkpoints/00000003/state.json': '{}',
  'episodes/000000.jsonl': '{"command":"look"}\n',
  'logging_results/world.log': 'a\nTIME: 3\nb\n',
  'llm.jsonl': '1\n2\n',
};

/** A run that holds `same` with changes; null for a file that does not exist. */
function run(name: string, changes: Readonly<Record<string, string | null>> = {}): string {
  for (const [path, text] of Object.entries({ ...same, ...changes })) {
    if (text === null) continue;
    createFolder(dirname(join(folder, name, path)));
    writeFileSync(join(folder, name, path), text);
  }
  return join(folder, name);
}

describe('two runs', () => {
  it('are equal despite different dates and any order of replies', () => {
    const changes = {
      'run.json': '{"pid":1}',
      'events.jsonl': 'x',
      'config.yaml': 'out: a',
      'command.txt': 'emac train --resume a\n',
      '.lock-4': '',
      '.tmp-report.html-7-0a1b2c3d4e5f-0': '<html>',
      'logging_results/world.log': 'a\nTIME: 9\nb\n',
      'llm.jsonl': '2\n1\n',
    };
    expect(differences(run('left'), run('right', changes))).toEqual([]);
  });

  it.each([
    ['a metric', 'metrics.jsonl', '{"loss":2}\n'],
    ['an evaluation before training', 'eval-before.json', '{"games":[1]}'],
    ['a part of a checkpoint', 'checkpoints/00000003/state.json', '{ }'],
    ['a transcript', 'episodes/000000.jsonl', '{"command":"go"}\n'],
    ['a log beside its times', 'logging_results/world.log', 'b\nTIME: 3\nb\n'],
    ['a reply', 'llm.jsonl', '1\n3\n'],
    ['a file that is missing', 'metrics.jsonl', null],
    ['what an evaluation left behind', 'eval.jsonl', '{"v":1}\n'],
  ])('differ by %s', (_case, name, text) => {
    expect(differences(run('left'), run('right', { [name]: text }))).toEqual([name]);
    expect(differences(run('other', { [name]: text }), run('left'))).toEqual([name]);
  });
});
