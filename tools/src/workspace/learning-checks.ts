/**
 * Checks of a finished run's numbers that hold on any machine. Imitation gets closer to the expert on the probe (the
 * expert's own states in the training games, or a validation set). Preference learning starts at its reference and ends
 * with chosen above rejected. Learning for other games is the evaluation's concern.
 */
import { EmacError } from '@emac/core';

/** One line of `metrics.jsonl`, as far as the checks read it. */
export type MetricsLine = Readonly<Record<string, unknown>>;

export interface Check {
  /** the checked condition, with its numbers */
  readonly what: string;
  readonly holds: boolean;
}

/**
 * The reference and the trained policy are still equal at the first update: both rewards are rounding noise. Where a
 * command's log-probability is above −64 neighbouring float32 are 2⁻¹⁸ apart: two of them times β = 0.1 are 8e-7.
 */
const noise = 1e-6;

/** The checks for a run's lines, by its phase (`bc` or `dpo`); throws `usage` on lines that hold no such run. */
export function learningChecks(lines: readonly MetricsLine[]): Check[] {
  const phase = lines[0]?.['phase'];
  if (phase === 'bc') return imitationChecks(lines);
  if (phase === 'dpo') return preferenceChecks(lines);
  throw new EmacError('usage', `learningChecks: the first line's phase is ${String(phase)}, not bc or dpo`);
}

function imitationChecks(lines: readonly MetricsLine[]): Check[] {
  const probes = ofKind(lines, 'probe');
  if (probes.length < 2) return [{ what: `${probes.length} probe lines, 2 or more wanted`, holds: false }];
  const losses = probes.map((line) => numberOf(line, 'loss'));
  const first = losses[0]!;
  const last = losses.at(-1)!;
  return [{ what: `loss of the probe: first ${rounded(first)}, last ${rounded(last)}`, holds: last < first }];
}

function preferenceChecks(lines: readonly MetricsLine[]): Check[] {
  const updates = ofKind(lines, 'update');
  const first = updates[0];
  if (first === undefined) return [{ what: 'no update lines', holds: false }];
  const [chosen, rejected] = [numberOf(first, 'w_reward'), numberOf(first, 'l_reward')];
  const end = updates.slice(-Math.ceil(updates.length / 4));
  const margins = end.map((line) => numberOf(line, 'w_reward') - numberOf(line, 'l_reward'));
  const margin = margins.reduce((sum, each) => sum + each, 0) / margins.length;
  return [
    {
      what: `first update: reward of chosen ${chosen}, of rejected ${rejected}`,
      holds: Math.abs(chosen) <= noise && Math.abs(rejected) <= noise,
    },
    {
      what: `last ${end.length} of ${updates.length} updates: chosen − rejected ${rounded(margin)}`,
      holds: margin > 0,
    },
  ];
}

function ofKind(lines: readonly MetricsLine[], kind: string): MetricsLine[] {
  return lines.filter((line) => line['kind'] === kind);
}

// A missing number fails every comparison, so no check passes on a line without it.
function numberOf(line: MetricsLine, name: string): number {
  const value = line[name];
  return typeof value === 'number' ? value : NaN;
}

function rounded(value: number): string {
  return value.toFixed(4);
}
