/**
 * Checks that a server's log-probabilities belong to the current parameters. Their mean absolute difference has a
 * limit, which detects another model or prompt. They must not belong to the previous version either, whose difference
 * may be far below rounding noise. Least squares over all tokens of (server − current) gives the share b of (previous −
 * current): 0 for the new version, 1 for the old. A share above ½, and by five standard errors above 0, is refused.
 */
import { EmacError } from '@emac/core';
import type { PpoConfig } from '@emac/settings';

export interface Agreement {
  /** of one answer, each [tokens] in nats; `before` is null without a previous version */
  add(theirs: readonly number[], now: ArrayLike<number>, before: ArrayLike<number> | null): void;
  /** Mean absolute difference. Errors: `unavailable`, in words for the version of that name. */
  gap(version: string): number;
}

/** standard errors */
const certain = 5;

export function agreement({ maxGap }: Pick<PpoConfig['inference'], 'maxGap'>): Agreement {
  const difference = { tokens: 0, sum: 0 };
  const sums = { tokens: 0, xx: 0, xy: 0, yy: 0 };
  return {
    add: (theirs, now, before) =>
      theirs.forEach((value, token) => {
        const y = value - now[token]!;
        difference.tokens++;
        difference.sum += Math.abs(y);
        if (!before) return;
        const x = before[token]! - now[token]!;
        sums.tokens++;
        sums.xx += x * x;
        sums.xy += x * y;
        sums.yy += y * y;
      }),
    gap: (version) => {
      const gap = difference.sum / difference.tokens;
      if (isBefore(sums)) throw stale(version, gap);
      if (gap <= maxGap) return gap;
      throw apart(version, gap, maxGap);
    },
  };
}

function isBefore({ tokens, xx, xy, yy }: Record<'tokens' | 'xx' | 'xy' | 'yy', number>): boolean {
  if (tokens < 2 || xx === 0) return false;
  const share = xy / xx;
  const variance = Math.max(0, yy - share * xy) / (tokens - 1);
  return share > 0.5 && share > certain * Math.sqrt(variance / xx);
}

function stale(version: string, gap: number): EmacError {
  return new EmacError(
    'unavailable',
    `inference server: the log-probabilities for ${version} match the previous version (${gap.toPrecision(3)} a token from the new one), so the server uses an old adapter and this update is discarded; start the server again, then --resume`,
  );
}

function apart(version: string, gap: number, maxGap: number): EmacError {
  return new EmacError(
    'unavailable',
    `inference server: the log-probabilities for ${version} differ from local ones by ${gap.toPrecision(3)} a token, at most ${maxGap} is allowed (--inference-max-gap); the server uses another adapter, model or prompt, or another kind of log-probabilities (--inference-logprobs); this update is discarded`,
  );
}
