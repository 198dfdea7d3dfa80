import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRun } from '@emac/runs';
import { afterAll, describe, expect, it } from 'vitest';
import { readAttempts } from './read-attempt.ts';

const out = mkdtempSync(join(tmpdir(), 'attempts-'));
const now = new Date(0);
afterAll(() => rmSync(out, { recursive: true }));

function runOf(seed: number) {
  return createRun({ out, phase: 'grpo', seed, config: { seed }, versions: {}, now: () => now });
}

const head = (update: number, spread: number, task = `task ${update}`) => ({
  v: 1,
  kind: 'attempt',
  update,
  attempt: 8 * update,
  task,
  won: false,
  steps: 2,
  reward: 0.125,
  return: 0,
  attemptAdvantage: -1.5,
  spread,
});
const step = (own: number | null, observed = 'a desk') => ({
  kind: 'step',
  step: 0,
  observed,
  answer: 'look',
  command: 'look around',
  reward: -0.25,
  stepAdvantage: own,
  sameState: own === null ? null : 7,
  advantage: -1.5 + (own ?? 0),
});

describe('the recorded attempts of a run', () => {
  it('are the five newest, oldest first, without one that is damaged', () => {
    const run = runOf(0);
    expect(readAttempts(run.folder)).toEqual([]);
    for (const [update, spread] of [9, 1, 3, 3, 2, 0].entries())
      run.attempt(update, [head(update, spread), step(spread)]);
    const views = readAttempts(run.folder);
    expect(views.map(({ update }) => update)).toEqual([1, 2, 3, 4, 5]);
    expect(views[2]).toMatchObject({ attempt: 24, task: 'task 3', advantage: -1.5, spread: 3 });
    expect(views[2]!.shown).toMatchObject([{ own: 3, alike: 7, advantage: 1.5, reward: -0.25 }]);
    // half of a file, as none that is written is
    writeFileSync(join(run.folder, 'attempts', '000006.jsonl'), '{"kind":"attempt","spread":7');
    expect(readAttempts(run.folder).map(({ update }) => update)).toEqual([2, 3, 4, 5]);
    run.finish();
  });
});
