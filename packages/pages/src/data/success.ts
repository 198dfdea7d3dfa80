/** Success as the list, a run's page, a comparison and a report state it: share of tasks solved, where, and how sure that is. */
import type { EvaluationResult, EvaluationSummary, Interval } from '@emac/rollout';
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

/** Of one evaluation, on tasks held out from training and on others; null without games of this kind. */
export interface Rates {
  readonly heldOut: Rate | null;
  readonly seen: Rate | null;
}

export interface Success {
  /** `best` of the policies of a comparison, or the settings of a sweep, on held-out tasks */
  readonly on: 'held out' | 'seen in training' | 'while training' | 'best';
  readonly before: number | null;
  readonly after: Rate;
}

type Summary = Partial<Pick<EvaluationSummary, 'success' | 'success_ci95' | 'by_type'>>;

/** Of the content of `eval.json`. */
export function ratesOf(result: Summary & Partial<Pick<EvaluationResult, 'seen'>>): Rates {
  return { heldOut: rateOf(result), seen: result.seen ? rateOf(result.seen) : null };
}

function rateOf({ success, success_ci95: interval = null, by_type: types = {} }: Summary): Rate | null {
  if (typeof success !== 'number') return null;
  const games = Object.values(types).reduce((sum, each) => sum + each.games, 0);
  return { share: success, games: games || null, interval };
}

/** On held-out tasks, else on those trained on; null if neither was played after the training. */
export function evaluatedSuccess(before: Rates | null, after: Rates | null): Success | null {
  if (after?.heldOut) return { on: 'held out', before: before?.heldOut?.share ?? null, after: after.heldOut };
  if (after?.seen) return { on: 'seen in training', before: before?.seen?.share ?? null, after: after.seen };
  return null;
}

/** Of the shares measured one after the other while it trained; null without any. */
export function trainingSuccess(shares: readonly number[]): Success | null {
  if (shares.length === 0) return null;
  return {
    on: 'while training',
    before: shares.length > 1 ? shares[0]! : null,
    after: { share: shares.at(-1)!, games: null, interval: null },
  };
}

/** `18 % → 59 %` */
export function shareWords({ before, after }: Success): string {
  return `${before === null ? '' : `${percent(before)} → `}${percent(after.share)}`;
}

/** `59 of 100, 95 % interval 49 % to 68 %`; empty if unknown. */
export function certaintyWords({ share, games, interval }: Rate): string {
  return [
    ...(games === null ? [] : [`${Math.round(share * games)} of ${games}`]),
    ...(interval === null ? [] : [`95 % interval ${rangeWords(interval)}`]),
  ].join(', ');
}

/** `49 % to 68 %` */
export function rangeWords([low, high]: Interval): string {
  return `${percent(low)} to ${percent(high)}`;
}

/** `held out: 18 % → 59 % (59 of 100, 95 % interval 49 % to 68 %)` */
export function successWords(success: Success): string {
  const certainty = certaintyWords(success.after);
  return `${success.on}: ${shareWords(success)}${certainty && ` (${certainty})`}`;
}
