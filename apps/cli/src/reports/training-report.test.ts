import type { MetricsLine } from '@emac/algorithms';
import { summarize, type EvaluatedGame, type EvaluationResult } from '@emac/rollout';
import { describe, expect, it } from 'vitest';
import type { FinishedRun } from '@emac/experiment';
import { reportText } from './training-report.ts';

const outcome = { firstProbe: null, lastProbe: null, lastRound: null, games: 0, repairs: 0 } as const;
const reported = { folder: 'runs/a', outcome, before: null, after: null, remarks: [] };
/** The report of a run that has only what it prints. */
const trainingReport = (run: object) =>
  reportText({ command: 'train', stopped: null, ...run } as unknown as FinishedRun);
const configOf = (phase: 'bc' | 'dpo', path = 'emma-tiny') => ({
  phase,
  policy: path,
  evaluation: { on: 'builtin:valid_unseen' },
});

/** A game each: `w` won in two steps, `l` lost in ten; capitals for games seen in training. */
function resultOf(marks: string): EvaluationResult {
  const played = [...marks].map((mark, number): EvaluatedGame => {
    const won = mark.toLowerCase() === 'w';
    const isSeen = mark !== mark.toLowerCase();
    return { id: `${number}`, type: null, won, steps: won ? 2 : 10, seen_in_training: isSeen };
  });
  const ofGames = (isSeen: boolean) => summarize(played.filter((game) => game.seen_in_training === isSeen));
  return { v: 1, checkpoint: 'a', games: played, ...ofGames(false), seen: ofGames(true) };
}

function nextOf(config: object): string {
  return trainingReport({ ...reported, config })
    .split('\n')
    .at(-1)!;
}

describe('the last command of a report', () => {
  it('continues from the finished phase', () => {
    expect(nextOf(configOf('bc'))).toBe('next: npx emac train --phase dpo --ref runs/a');
    expect(nextOf(configOf('dpo'))).toBe('next: npx emac eval --ckpt runs/a');
  });

  it('evaluates on more of the same games where all held-out ones were won', () => {
    const next = (marks: string, on = 'builtin:valid_unseen') =>
      trainingReport({
        ...reported,
        after: resultOf(marks),
        config: { ...configOf('bc'), evaluation: { on } },
      })
        .split('\n')
        .at(-1);
    expect(next('ww')).toBe('next: npx emac eval --ckpt runs/a --num-games 100');
    expect(next('ww', 'my games')).toBe(
      "next: npx emac eval --ckpt runs/a --games 'my games' --num-games 100",
    );
    const elsewhere = { ...configOf('bc'), env: 'tabletop/spatial/3' };
    const report = trainingReport({ ...reported, after: resultOf('ww'), config: elsewhere });
    // where there may be fewer than 100
    expect(report).toContain('\nnext: npx emac eval --ckpt runs/a');
    expect(report).not.toContain('--num-games');
    expect(next('wl')).toBe('next: npx emac train --phase dpo --ref runs/a');
  });

  it('names the run’s model, unless it is the default', () => {
    const next = nextOf(configOf('bc', '/models/my model'));
    expect(next).toBe("next: npx emac train --phase dpo --ref runs/a --model '/models/my model'");
  });
});

it('shows what rounds to 0 without a minus', () => {
  const margins = (margin: number) => ({ kind: 'probe', margin }) as unknown as MetricsLine;
  const probed = { ...outcome, firstProbe: margins(-4e-9), lastProbe: margins(-0.00011) };
  const report = trainingReport({ ...reported, config: configOf('dpo'), outcome: probed });
  expect(report).toMatch(/mean margin W − L │ +0\.0000 │ +-0\.0001 │/);
});

it('reports solved games by round, and skipped records', () => {
  const lastRound = { kind: 'round', round: 1, solved: 2 } as unknown as MetricsLine;
  const lines = trainingReport({
    ...reported,
    config: configOf('bc'),
    after: resultOf('wl'),
    outcome: { ...outcome, lastRound, games: 3 },
    remarks: ['1 of 4 records left out'],
  }).split('\n');
  expect(lines.slice(-4)).toEqual([
    'success and steps on 2 held-out games of builtin:valid_unseen',
    'training games solved in any of 2 rounds: 2 of 3',
    '1 of 4 records left out',
    'next: npx emac train --phase dpo --ref runs/a',
  ]);
});

it('counts games seen in training apart, and never as held-out ones', () => {
  const rowsOf = (before: string, after: string) => {
    const results = { before: resultOf(before), after: resultOf(after) };
    const lines = trainingReport({ ...reported, ...results, config: configOf('bc') }).split('\n');
    const rows = lines.flatMap(
      (line) => /^│ (success.*?|mean steps.*?) *│ +(.*?) │ +(.*?) │$/.exec(line) ?? [],
    );
    return { rows: rows.filter((cell) => !cell.startsWith('│')), on: lines.at(-2) };
  };
  expect(rowsOf('LL', 'LW')).toEqual({
    rows: [
      ...['success, seen in training', '0 % (0 of 2)', '50 % (1 of 2)'],
      ...['mean steps, seen in training', '10.0', '6.0'],
    ],
    on: 'success and steps on 2 games of builtin:valid_unseen, all seen in training',
  });
  expect(rowsOf('lLl', 'wLl')).toEqual({
    rows: [
      ...['success', '0 % (0 of 2)', '50 % (1 of 2)'],
      ...['mean steps', '10.0', '6.0'],
      ...['success, seen in training', '0 % (0 of 1)', '0 % (0 of 1)'],
      ...['mean steps, seen in training', '10.0', '10.0'],
    ],
    on: 'success and steps on 3 games of builtin:valid_unseen, 1 of 3 seen in training and counted apart',
  });
});

it('states success with its interval, and whether it changed by more than chance', () => {
  const lines = (before: string, after: string) => {
    const results = { before: resultOf(before), after: resultOf(after) };
    return trainingReport({ ...reported, ...results, config: configOf('bc') }).split('\n');
  };
  const said = lines('llllll', 'wwwwww');
  // Wilson: 0 and 6 of 6
  expect(said.find((line) => line.includes('95 % interval'))).toMatch(/│ +0 % to 39 % │ +61 % to 100 % │/);
  expect(said).toContain('change of success: +100 points, significant gain');
  expect(lines('lllll', 'wwwww')).toContain('change of success: +100 points, no significant change');
});

it('reports a dpo phase without any pair', () => {
  const said = (phase: 'bc' | 'dpo', samples: number) => {
    const lastRound = { kind: 'round', round: 0, solved: 1, samples } as unknown as MetricsLine;
    const told = { ...outcome, lastRound };
    return trainingReport({ ...reported, config: configOf(phase), outcome: told });
  };
  expect(said('dpo', 0)).toMatch(/^no pairs: .*--sample-temperature/m);
  expect(said('dpo', 1)).not.toMatch(/no pairs/);
  expect(said('bc', 0)).not.toMatch(/no pairs/);
});
