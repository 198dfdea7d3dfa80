/**
 * A steady time left. The estimate follows the pace so far. The shown value moves towards it slowly, so that one long game causes no jump, and faster near the
 * end.
 */
import { duration } from './amounts.ts';

export interface TimeLeft {
  /** milliseconds left once this share of the work, 0 to 1, is done; null while unknown */
  at(now: number, share: number): number | null;
}

/** The share of the time left until most of a change of pace is shown. */
const calm = 0.2;

/** Counts from `start`, in milliseconds. */
export function timeLeft(start: number): TimeLeft {
  let shown: { readonly end: number; readonly at: number } | null = null;
  return {
    at(now, share) {
      if (share <= 0 || now <= start) return null;
      const foretold = start + (now - start) / Math.min(1, share);
      shown = { end: shown === null ? foretold : moved(shown, foretold, now), at: now };
      return Math.max(0, shown.end - now);
    },
  };
}

function moved(shown: { readonly end: number; readonly at: number }, foretold: number, now: number): number {
  const span = Math.max(1000, calm * Math.abs(foretold - now));
  return shown.end + (foretold - shown.end) * (1 - Math.exp(-(now - shown.at) / span));
}

/** For people, no finer than known: whole seconds below a minute, tens below ten minutes, then minutes. */
export function roughly(milliseconds: number): string {
  const unit = milliseconds < 59_500 ? 1000 : milliseconds < 600_000 ? 10_000 : 60_000;
  const rounded = Math.round(milliseconds / unit) * unit;
  if (rounded < 60_000) return `${rounded / 1000} s`;
  return duration(rounded)
    .replace(/ 0 (s|min)$/, '')
    .replace(/( min) 0 s$/, '$1');
}
