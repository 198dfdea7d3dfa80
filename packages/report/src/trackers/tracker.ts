/**
 * A tracker mirrors a run's metrics to another program. A failing tracker must not stop the run: its error is reported
 * once and the tracker is dropped.
 */

import { isMeasured, type MetricsLine } from '../pages/series.ts';

export interface Tracker {
  /** a line, in the order of the file */
  metrics(line: MetricsLine): void;
  /** a text at a step, such as the policy's answer */
  text(tag: string, step: number, text: string): void;
  /** later calls are ignored; closing again does nothing. Faults reject */
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
