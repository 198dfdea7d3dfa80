import { describe, expect, it } from 'vitest';
import type { Writer } from './io.ts';
import { progress } from './progress.ts';

/** The screen, line by line, after the written text. */
function screen(written: string): string[] {
  return written.split('\n').map((line) => line.split('\r\u001b[K').at(-1)!);
}

function watched({
  isTerminal = true,
  columns = 100,
  env = {} as Record<string, string>,
  verbose = false,
} = {}) {
  let text = '';
  let time = 0;
  const writer: Writer = { write: (more) => void (text += more), isTerminal, columns, isClosed: false };
  const told = progress({ stderr: writer, now: () => time, env }, { verbose });
  return { told, wait: (ms: number) => void (time += ms), lines: () => screen(text) };
}

const won = { type: null, won: true, steps: 4, seen_in_training: false };

describe('progress on a terminal', () => {
  it('is one line with games, steps within them and the time left', () => {
    const { told, wait, lines } = watched();
    told.begin('evaluation', 4);
    expect(lines()).toEqual([`evaluation ${'·'.repeat(24)} game 1 of 4`]);
    for (let step = 1; step <= 4; step++) told.step({ id: 'a', step });
    wait(10_000);
    told.game({ id: 'a', ...won });
    expect(lines()).toEqual([`evaluation ██████${'·'.repeat(18)} game 2 of 4 · 1 won · 30 s left`]);
    told.step({ id: 'b', step: 2 });
    told.step({ id: 'c', step: 3 });
    expect(lines()[0]).toContain('game 2 of 4 · 1 won · 2 at step 2 to 3 · ');
    told.end();
    expect(lines()).toEqual(['']);
  });

  it('says how a part ended, what a round brought, and one answer beside the expert’s', () => {
    const { told, lines } = watched({ isTerminal: false });
    told.begin('evaluation before', 2);
    for (const id of ['a', 'b']) told.game({ id, ...won });
    told.begin('training', 4);
    const place = { round: 0, episode: 0, place: 0, taskId: 'a', frames: [], observation: '' };
    const answers = [
      [null, 'look'],
      ['look', 'look'],
      ['open  fridge\n1', 'open box 1'],
      ['go', 'come'],
    ] as const;
    answers.forEach(([own, label], index) =>
      told.training({ kind: 'step', ...place, index, own, label, command: 'look' }),
    );
    const line = { v: 1, kind: 'round-end', phase: 'bc', samples: 3, updates: 5, unusable: 0 } as const;
    told.training({ kind: 'round-end', line: { ...line, round: 0, won: 1, played: 2 } as never });
    told.training({ kind: 'round-end', line: { ...line, round: 1, won: 0, played: 0 } as never });
    expect(lines()).toEqual([
      'evaluation before: 2 games',
      'evaluation before: 2 of 2 won',
      'training: 4 games',
      'round 1: 1 of 2 won, 3 samples, 5 updates',
      '  policy: open fridge 1; expert: open box 1',
      'round 2: all solved before, none played, 3 samples, 5 updates',
      '',
    ]);
  });

  it('keeps notes above the line, and fits a narrow terminal without a bar', () => {
    const { told, lines } = watched({ columns: 28 });
    told.begin('training', 6);
    told.note('round 1: 2 of 3 won');
    expect(lines()).toEqual(['round 1: 2 of 3 won', 'training: game 1 of 6']);
    told.end();
  });

  it('does not count games before an interruption for the speed', () => {
    const { told, wait, lines } = watched();
    told.begin('evaluation', 4);
    told.game({ id: 'old', ...won });
    told.game({ id: 'older', ...won });
    told.step({ id: 'new', step: 4 });
    wait(10_000);
    told.game({ id: 'new', ...won });
    // one of two games took 10 s
    expect(lines()[0]).toMatch(/game 4 of 4 · 3 won · 10 s left$/);
    told.end();
  });
});

describe('progress of work on other machines', () => {
  it.each([
    ['a file', { isTerminal: false }],
    ['the log of a CI', { env: { CI: 'true' } }],
    ['a terminal that cannot go back', { env: { TERM: 'dumb' } }],
  ])('in %s prints a line for every part and, on request, every game', (_place, where) => {
    const { told, lines } = watched({ ...where, verbose: true });
    told.begin('evaluation', 2);
    told.step({ id: 'a', step: 1 });
    told.game({ id: 'a', ...won });
    told.end();
    expect(lines()).toEqual(['evaluation: 2 games', '  a: won in 4 steps', '']);
  });
});
