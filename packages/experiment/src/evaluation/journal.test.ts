import { appendFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../temporary-folder.test.support.ts';
import { openResultJournal } from './journal.ts';

const folder = temporaryFolder();
const line = (id: string) => ({
  game: { id, type: null, won: true, steps: 3, seen_in_training: false },
  played: { place: 0, taskId: id, observation: 'room', steps: [], won: true },
});

describe('an evaluation journal', () => {
  it('knows the games that were over, also after a kill tore its last line', () => {
    const path = join(folder, 'torn.jsonl');
    const first = openResultJournal(path, 'policy 1');
    first.add(line('a'));
    first.add(line('b'));
    first.close();
    appendFileSync(path, '{"game":{"id":"c"');
    const again = openResultJournal(path, 'policy 1');
    expect(again.lines).toEqual([line('a'), line('b')]);
    again.add(line('c'));
    again.close();
    expect(openResultJournal(path, 'policy 1').lines).toEqual([line('a'), line('b'), line('c')]);
  });

  it("drops another policy's games, and is removed when no longer needed", () => {
    const path = join(folder, 'other.jsonl');
    const first = openResultJournal(path, 'policy 1');
    first.add(line('a'));
    first.close();
    const other = openResultJournal(path, 'policy 2');
    expect(other.lines).toEqual([]);
    other.remove();
    expect(existsSync(path)).toBe(false);
  });
});
