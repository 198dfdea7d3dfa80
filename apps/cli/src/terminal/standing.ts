/** Progress of a part of a command, as one line. */
import { roughly } from './time-left.ts';

export interface Standing {
  readonly name: string;
  readonly total: number;
  readonly done: number;
  /** null before the first game's report */
  readonly won: number | null;
  /** steps of the episodes in progress, by id */
  readonly underway: ReadonlyMap<string | number, number>;
  readonly loss: number | null;
  readonly noun: string;
  /** episodes that took no time: done before, or skipped */
  readonly free: number;
  /** steps of finished episodes, and their number */
  readonly steps: number;
  readonly episodes: number;
}

/** The finished share of the work, episodes in progress counted by the usual length; 0 before the first has ended. */
export function shareDone({ total, done, free, steps, episodes, underway }: Standing): number {
  const worked = done - free;
  if (worked <= 0 || total <= free) return 0;
  const usual = episodes === 0 ? Infinity : Math.max(1, steps / episodes);
  const begun = [...underway.values()].reduce((sum, step) => sum + Math.min(0.9, step / usual), 0);
  return Math.min(1, (worked + begun) / (total - free));
}

/** E.g. `training ████······· game 3 of 6 · 1 won · step 4 · loss 0.05 · 12 s left`, at most `width` characters. */
export function standingText(standing: Standing, left: number | null, width: number): string {
  const { name, total, done, noun, won, loss, underway } = standing;
  const words = [`${noun} ${Math.min(done + 1, total)} of ${total}`];
  if (won !== null) words.push(`${won} won`);
  if (underway.size > 0) words.push(stepsText([...underway.values()]));
  if (loss !== null) words.push(`loss ${loss.toPrecision(3)}`);
  if (left !== null && done < total) words.push(`${roughly(left)} left`);
  const told = words.join(' · ');
  const room = Math.min(24, width - name.length - told.length - 2);
  return (room < 8 ? `${name}: ${told}` : `${name} ${bar(done / Math.max(1, total), room)} ${told}`).slice(
    0,
    width,
  );
}

/** `--parallel-episodes` allows several episodes at once. */
function stepsText(steps: readonly number[]): string {
  const [least, most] = [Math.min(...steps), Math.max(...steps)];
  return steps.length === 1
    ? `step ${most}`
    : `${steps.length} at step ${least === most ? most : `${least} to ${most}`}`;
}

function bar(share: number, width: number): string {
  const full = Math.round(Math.min(1, share) * width);
  return '█'.repeat(full) + '·'.repeat(width - full);
}

/** A finished episode. */
export interface Over {
  readonly id: string | number;
  readonly won: boolean;
  readonly steps: number;
}

/** The progress after an episode; null for a skipped one. */
export function finished(standing: Standing, over: Over | null): Partial<Standing> {
  const done = standing.done + 1;
  if (over === null) return { done, free: standing.free + 1 };
  const underway = new Map(standing.underway);
  // a game without any reported step was played before an interruption
  const free = standing.free + (underway.delete(over.id) ? 0 : 1);
  const won = (standing.won ?? 0) + (over.won ? 1 : 0);
  return { done, underway, won, free, steps: standing.steps + over.steps, episodes: standing.episodes + 1 };
}
