/** When the next checkpoint of a run is due, by updates or by the clock. No checkpoint's bytes depend on it. */
import { exactly, sumOf, type Host, type Range } from '@emac/opening';
import { intervalOf, type CheckpointEvery } from '@emac/settings';

/** Whether one is due after so many updates; asked after each. */
export function checkpointDue(
  every: CheckpointEvery,
  { now }: Pick<Host, 'now'>,
): (updates: number) => boolean {
  const { updates: between, seconds } = intervalOf(every);
  let last = now();
  return (updates) => {
    if (between !== null) return updates % between === 0;
    const isDue = updates === 0 || now() - last >= 1000 * seconds!;
    if (isDue) last = now();
    return isDue;
  };
}

/** Those that are due in so many updates. By the clock at most one an update. */
export function checkpointsOf(every: CheckpointEvery, updates: number): Range {
  const { updates: between } = intervalOf(every);
  return between === null ? { least: 0, most: updates } : exactly(Math.floor(updates / between));
}

/** The same where the last update has one, too. */
export function checkpointsWithLast(every: CheckpointEvery, updates: number): Range {
  return sumOf([checkpointsOf(every, updates - 1), exactly(1)]);
}
