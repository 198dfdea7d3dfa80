/** Wanted results of each environment, and a table of the reached ones. */
import type { Learned, Score } from './learn.ts';

export interface Wanted {
  readonly measure: 'return' | 'success';
  readonly least: number;
  /** of the best policy with full information */
  readonly optimum: number;
  /** of an evaluation */
  readonly episodes: number;
}

const all: Readonly<Record<string, Wanted>> = {
  'gym_cards/NumberLine-v0': { measure: 'return', least: 1, optimum: 1, episodes: 2000 },
  'gym_cards/EZPoints-v0': { measure: 'success', least: 0.95, optimum: 1, episodes: 2000 },
  'gym_cards/Blackjack-v0': { measure: 'return', least: -0.05, optimum: -0.046556, episodes: 200_000 },
  'MiniGrid-Empty-Random-5x5-v0': { measure: 'return', least: 0.96, optimum: 0.9685, episodes: 2000 },
  'MiniGrid-DoorKey-5x5-v0': { measure: 'return', least: 0.96, optimum: 0.9646, episodes: 2000 },
  'MiniGrid-DoorKey-6x6-v0': { measure: 'return', least: 0.96, optimum: 0.969306, episodes: 2000 },
};

export function wanted(id: string): Wanted {
  const found = all[id];
  if (!found) throw new Error(`${id}: must be one of ${Object.keys(all).join(', ')}`);
  return found;
}

/** A table in Markdown, a row for each environment: mean over seeds ± their standard deviation. */
export function table(learned: readonly Learned[]): string {
  const ids = [...new Set(learned.map(({ id }) => id))];
  const head = [
    'environment',
    'measure',
    'wanted',
    'greedy',
    'by seed',
    'sampled',
    'greedy, exact',
    'optimum',
    'steps',
    'steps/s',
    's',
  ];
  const rows = ids.map((id) =>
    row(
      id,
      learned.filter((each) => each.id === id),
    ),
  );
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

function row(id: string, of: readonly Learned[]): string[] {
  const { measure, least, optimum } = wanted(id);
  const value = (score: Score) => (measure === 'return' ? score.meanReturn : score.success);
  const greedy = of.map((each) => value(each.greedy));
  return [
    id,
    measure,
    `≥ ${least}`,
    spread(greedy),
    greedy.map((each) => each.toFixed(4)).join(' '),
    spread(of.map((each) => value(each.sampled))),
    exact(of),
    String(optimum),
    String(of[0]!.environmentSteps),
    mean(of.map((each) => each.stepsPerSecond)).toFixed(0),
    mean(of.map((each) => each.seconds)).toFixed(0),
  ];
}

/** Exact mean return of greedy play; empty if unknown. */
function exact(of: readonly Learned[]): string {
  const known = of.flatMap((each) => each.exact ?? []);
  return known.length > 0 ? spread(known) : '';
}

function spread(values: readonly number[]): string {
  const middle = mean(values);
  const squares = values.reduce((sum, value) => sum + (value - middle) ** 2, 0);
  const deviation = values.length > 1 ? Math.sqrt(squares / (values.length - 1)) : 0;
  return `${middle.toFixed(4)} ± ${deviation.toFixed(4)}`;
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
