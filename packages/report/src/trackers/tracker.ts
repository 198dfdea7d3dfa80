/** What mirrors a run's metrics elsewhere. A tracker that fails must not cost the run: its errors are told once and it is left. */

import { isMeasured, type MetricsLine } from '../pages/series.ts';

export interface Tracker {
  /** a line, in the order of the file */
  metrics(line: MetricsLine): void;
  /** words at a step, such as what the policy said */
  text(tag: string, step: number, text: string): void;
  /** what comes afterwards is passed over; closing again does nothing. Faults reject */
  close(): Promise<void>;
}

/** The numbers of a line by their tags, `update/loss`, and the step they stand at: updates, else the lines of the kind so far. */
export function scalarsOf(
  line: MetricsLine,
  countOfKind: number,
): { step: number; scalars: [string, number][] } {
  const { kind, update } = line;
  const scalars = Object.entries(line).flatMap(([name, value]): [string, number][] =>
    isMeasured(name, value) ? [[`${kind}/${name}`, value]] : [],
  );
  return { step: typeof update === 'number' ? update : countOfKind, scalars };
}
