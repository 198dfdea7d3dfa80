/** Success as the list, a run's page, a comparison and a report state it: share of tasks solved, where, and how sure that is. */
import {
  pairedWins,
  type EvaluatedGame,
  type EvaluationResult,
  type EvaluationSummary,
  type Interval,
} from '@emac/rollout';
import { groupBy } from './group-by.ts';
import { hashOf } from './hash.ts';
import { percent } from './words.ts';

/** Of one evaluation. */
export interface Rate {
  /** from 0 to 1 */
  readonly share: number;
  /** games played; null if unknown */
  readonly games: number | null;
  /** 95 %; null if unknown */
  readonly interval: Interval | null;
}

/** Success at each task, the tasks in the order of their names. */
export interface TaskScores {
  /** hash of the names: only the same tasks can be paired */
  readonly tasks: number;
  /** share of the attempts at each that were won */
  readonly won: readonly number[];
}

/** Null for games that are not listed. */
export interface TaskRate extends Rate {
  readonly scores: TaskScores | null;
}

/** Of one evaluation, on tasks held out from training and on others; null without games of this kind. */
export interface Rates {
  readonly heldOut: TaskRate | null;
  readonly seen: TaskRate | null;
}

export interface Success {
  /** `best` of the policies of a comparison, or the settings of a sweep, on held-out tasks */
  readonly on: 'held out' | 'seen in training' | 'while training' | 'best';
  readonly before: number | null;
  readonly after: Rate;
  /** of the exact two-sided test over the tasks, before against after; null where the same tasks were not played twice */
  readonly p: number | null;
}

type Summary = Partial<Pick<EvaluationSummary, 'success' | 'success_ci95' | 'by_type'>>;

/** Of the content of `eval.json`. */
export function ratesOf(result: Summary & Partial<Pick<EvaluationResult, 'seen' | 'games'>>): Rates {
  // results of earlier versions list none
  const { games } = result as { readonly games?: unknown };
  const played = (isSeen: boolean) =>
    (Array.isArray(games) ? (games as readonly EvaluatedGame[]) : []).filter(
      ({ seen_in_training: seen = false }) => seen === isSeen,
    );
  return {
    heldOut: rateOf(result, played(false)),
    seen: result.seen ? rateOf(result.seen, played(true)) : null,
  };
}

function rateOf(summary: Summary, played: readonly EvaluatedGame[]): TaskRate | null {
  const { success, success_ci95: interval = null, by_type: types = {} } = summary;
  if (typeof success !== 'number') return null;
  const games = Object.values(types).reduce((sum, each) => sum + each.games, 0);
  return { share: success, games: games || null, interval, scores: scoresOf(played) };
}

function scoresOf(games: readonly EvaluatedGame[]): TaskScores | null {
  if (games.length === 0) return null;
  const tasks = [...groupBy(games, ({ id }) => id)].sort(([one], [other]) => (one < other ? -1 : 1));
  return {
    tasks: hashOf(tasks.map(([id]) => id).join('\n')),
    won: tasks.map(([, attempts]) => attempts.filter(({ won }) => won).length / attempts.length),
  };
}

/** On held-out tasks, else on those trained on; null if neither was played after the training. */
export function evaluatedSuccess(before: Rates | null, after: Rates | null): Success | null {
  if (after?.heldOut) return changed('held out', before?.heldOut ?? null, after.heldOut);
  if (after?.seen) return changed('seen in training', before?.seen ?? null, after.seen);
  return null;
}

function changed(on: Success['on'], before: TaskRate | null, after: TaskRate): Success {
  const { scores: _scores, ...rate } = after;
  return { on, before: before?.share ?? null, after: rate, p: pOf(before, after) };
}

/** Of the test that comparisons use; several attempts at a task count as their mean. */
function pOf(before: TaskRate | null, { scores }: TaskRate): number | null {
  if (!before?.scores || !scores || before.scores.tasks !== scores.tasks) return null;
  const first = before.scores.won;
  return pairedWins(scores.won.map((won, task) => [first[task]!, won]))?.p ?? null;
}

/** Of the shares measured one after the other while it trained; null without any. */
export function trainingSuccess(shares: readonly number[]): Success | null {
  if (shares.length === 0) return null;
  return {
    on: 'while training',
    before: shares.length > 1 ? shares[0]! : null,
    after: { share: shares.at(-1)!, games: null, interval: null },
    p: null,
  };
}

/** Whether success changed by more than chance; null where it was not tested. */
export type Verdict = 'significant gain' | 'significant loss' | 'no significant change';

export function verdictOf({ before, after, p }: Pick<Success, 'before' | 'after' | 'p'>): Verdict | null {
  if (before === null || p === null) return null;
  if (p >= 0.05) return 'no significant change';
  return after.share > before ? 'significant gain' : 'significant loss';
}

/** `+41 points, significant gain`: percentage points; empty without a success before. */
export function changeWords(success: Success): string {
  const { before, after } = success;
  if (before === null) return '';
  // of the shares as they are stated
  const change = (Math.round(100 * after.share) - Math.round(100 * before)) / 100;
  const verdict = verdictOf(success);
  return `${pointsWords(change)}${verdict === null ? '' : `, ${verdict}`}`;
}

/** `+41 points`: a difference of two shares, in percentage points. */
export function pointsWords(difference: number): string {
  const points = Math.round(100 * difference);
  const sign = points > 0 ? '+' : points < 0 ? '−' : '±';
  return `${sign}${Math.abs(points)} ${Math.abs(points) === 1 ? 'point' : 'points'}`;
}

/** where it was measured */
const places = {
  'held out': 'on held-out tasks',
  'seen in training': 'on tasks seen in training',
  'while training': 'while training',
  best: 'on held-out tasks, of the best',
} as const;

export const onWords = (on: Success['on']): string => places[on];

/** `18 % → 59 %` */
export function shareWords({ before, after }: Success): string {
  return `${before === null ? '' : `${percent(before)} → `}${percent(after.share)}`;
}

/** `59 % (59 of 100)`, for a place that states the interval beside it. */
export function rateWords(rate: Pick<Rate, 'share' | 'games'>): string {
  return `${percent(rate.share)}${rate.games === null ? '' : ` (${wonWords(rate)})`}`;
}

/** `59 of 100` */
const wonWords = ({ share, games }: Pick<Rate, 'share' | 'games'>) =>
  `${Math.round(share * games!)} of ${games}`;

/** `59 of 100, 95 % interval 49 % to 68 %`; empty if unknown. */
export function certaintyWords({ share, games, interval }: Rate): string {
  return [
    ...(games === null ? [] : [wonWords({ share, games })]),
    ...(interval === null ? [] : [`95 % interval ${rangeWords(interval)}`]),
  ].join(', ');
}

/** `49 % to 68 %` */
export function rangeWords([low, high]: Interval): string {
  return `${percent(low)} to ${percent(high)}`;
}

/** `held out: 18 % → 59 % (59 of 100, 95 % interval 49 % to 68 %), +41 points, significant gain` */
export function successWords(success: Success): string {
  const certainty = certaintyWords(success.after);
  const change = changeWords(success);
  return `${success.on}: ${shareWords(success)}${certainty && ` (${certainty})`}${change && `, ${change}`}`;
}
