/** One attempt of an update for the run's folder: each step with what it was credited with. Equal updates give equal lines. */
import type { AttemptCredit, LearnedAttempts, PlayedAttempt, StepCredit } from '@emac/algorithms';

export interface AttemptRecord {
  readonly update: number;
  /** the attempt, then each of its steps */
  readonly lines: readonly object[];
}

/** at most, of a run */
const records = 100;
/** characters of an observation or an answer */
const longest = 400;
/** steps of an attempt */
const steps = 200;

/** Whether this update's attempt is recorded: all of a short run, else evenly spaced ones; always the last. */
export function isRecorded(update: number, updates: number): boolean {
  return (updates - 1 - update) % Math.ceil(updates / records) === 0;
}

/** The attempt whose steps differ most in their advantages; among equals that with the largest advantage of its own, then the first. */
export function attemptRecord({ update, attempts, credits }: LearnedAttempts): AttemptRecord {
  const ranks = credits.map((credit) => [spreadOf(credit), Math.abs(credit.advantage)] as const);
  const place = ranks.reduce((best, [spread, size], which) => {
    const [most, largest] = ranks[best]!;
    return spread > most || (spread === most && size > largest) ? which : best;
  }, 0);
  const number = update * attempts.length + place;
  return { update, lines: linesOf(attempts[place]!, credits[place]!, { update, number }) };
}

function spreadOf({ steps }: AttemptCredit): number {
  const advantages = steps.map(({ advantage }) => advantage);
  return Math.max(...advantages) - Math.min(...advantages);
}

function linesOf(
  attempt: PlayedAttempt,
  credit: AttemptCredit,
  { update, number }: { readonly update: number; readonly number: number },
): object[] {
  const { trajectory, reward } = attempt;
  const head = {
    v: 1,
    kind: 'attempt',
    update,
    attempt: number,
    task: trajectory.task.id,
    won: trajectory.won,
    steps: trajectory.steps.length,
    reward,
    return: attempt.return,
    attemptAdvantage: credit.advantage,
    spread: spreadOf(credit),
  };
  return [head, ...credit.steps.slice(0, steps).map((own, step) => stepLine(attempt, own, step))];
}

function stepLine({ steps, trajectory }: PlayedAttempt, credit: StepCredit, step: number): object {
  const { observation, action } = trajectory.steps[step]!;
  const { answer, reward } = steps[step]!;
  return {
    kind: 'step',
    step,
    observed: shortened(observation.text),
    answer: shortened(answer.text),
    command: shortened(action),
    reward,
    stepAdvantage: credit.own,
    sameState: credit.alike,
    advantage: credit.advantage,
  };
}

/** Without its middle: a first observation may end with the task. */
function shortened(text: string): string {
  const characters = Array.from(text);
  if (characters.length <= longest) return text;
  const half = longest / 2;
  return `${characters.slice(0, half).join('')}…${characters.slice(1 - half).join('')}`;
}
