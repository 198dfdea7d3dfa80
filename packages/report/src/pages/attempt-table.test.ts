import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createRun } from '@emac/runs';
import { afterAll, describe, expect, it } from 'vitest';
import { attemptTable } from './attempt-table.ts';
import { runPage } from './live-pages.ts';
import { readAttempt } from './read-attempt.ts';
import { report } from './report.ts';

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

describe('the recorded attempt of a run', () => {
  it('is of the five newest that whose steps differ most, the newer of equals', () => {
    const run = runOf(0);
    expect(readAttempt(run.folder)).toBeNull();
    expect(attemptTable(null)).toBeNull();
    for (const [update, spread] of [9, 1, 3, 3, 2, 0].entries())
      run.attempt(update, [head(update, spread), step(spread)]);
    const view = readAttempt(run.folder);
    expect(view).toMatchObject({ update: 3, attempt: 24, task: 'task 3', advantage: -1.5, among: 5 });
    expect(view!.shown).toMatchObject([{ own: 3, alike: 7, advantage: 1.5, reward: -0.25 }]);
    // half of a file, as none that is written is
    writeFileSync(join(run.folder, 'attempts', '000006.jsonl'), '{"kind":"attempt","spread":7');
    expect(readAttempt(run.folder)).toMatchObject({ update: 3 });
    run.finish();
  });

  it('is a table with both advantages, and bars on one scale', () => {
    const run = runOf(1);
    run.attempt(0, [head(0, 5), step(3), step(-2), step(0)]);
    run.finish();
    const markup = attemptTable(readAttempt(run.folder))!.markup;
    // the widest bar, 3, is half of its track; 1.5 and 2 are a half and two thirds of it
    expect(widthsIn(markup)).toEqual([
      'below 25.0',
      'above 50.0',
      'below 25.0',
      'below 33.3',
      'below 25.0',
      'above 0.0',
    ]);
    for (const text of [
      '−1.50',
      '+3.00',
      '−2.00',
      '+1.50',
      '−3.50',
      '−0.25',
      '>7<',
      '0.125',
      '(done: look around)',
    ])
      expect(markup).toContain(text);
    expect(markup).not.toContain('steps that differ most');
  });

  it('has the advantage of the attempt alone where steps are not compared', () => {
    const run = runOf(2);
    run.attempt(0, [head(0, 0), step(null)]);
    run.finish();
    const markup = attemptTable(readAttempt(run.folder))!.markup;
    expect(widthsIn(markup)).toEqual(['below 50.0']);
    expect(markup).not.toContain('advantage of the step');
    expect(markup).toContain('Steps 1 to 1 are shown.');
  });

  it('stands in the report and on the board, its words escaped', () => {
    const run = runOf(3);
    run.attempt(0, [head(0, 1, '<b>task</b>'), step(1, '<img src=x>')]);
    run.finish();
    for (const page of [report([run.folder], { now }), runPage(run.folder, { now })]) {
      expect(page).toContain('Advantages of one attempt');
      expect(page).toContain('&lt;img src=x&gt;');
      expect(page).not.toContain('<b>task</b>');
    }
  });
});

function widthsIn(markup: string): string[] {
  const bars = markup.matchAll(/<i class="(\w+)" style="width:([\d.]+)%"/g);
  return [...bars].map(([, side, width]) => `${side} ${width}`);
}
