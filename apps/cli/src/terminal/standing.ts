/** Where a part of a command stands, as one line. */
import { duration } from './amounts.ts';

export interface Standing {
  readonly name: string;
  readonly total: number;
  readonly done: number;
  readonly won: number;
  /** of the episode that made one last; 0 between episodes */
  readonly step: number;
  readonly loss: number | null;
  /** milliseconds */
  readonly start: number;
  readonly noun: string;
  /** how many were done before `start` */
  readonly before: number;
}

/** E.g. `training: game 3 of 6 · 1 won · step 4 · loss 0.05 · 12 s left`. */
export function standingText(standing: Standing, now: number): string {
  const { name, total, done, noun, won, step, loss, start, before } = standing;
  const words = [`${name}: ${noun} ${Math.min(done + 1, total)} of ${total}`];
  if (noun === 'game') words.push(`${won} won`);
  if (step > 0) words.push(`step ${step}`);
  if (loss !== null) words.push(`loss ${loss.toPrecision(3)}`);
  const here = done - before;
  if (here > 0 && done < total) words.push(`${duration(((now - start) / here) * (total - done))} left`);
  return words.join(' · ');
}
