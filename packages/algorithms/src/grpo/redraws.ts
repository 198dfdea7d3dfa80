/**
 * Dynamic sampling (DAPO; Yu et al., arXiv 2503.14476, section 3.2): a group whose attempts all earned the same has no
 * advantages, so another is drawn in its place. Departure: the paper draws until the batch is full; here a group is
 * replaced a bounded number of times, and the last one stays.
 */
import { invariant, type Random } from '@emac/core';
import { inGroups, type AttemptGroups, type PlayedAttempt } from './attempts.ts';
import type { GrpoSettings } from './grpo-settings.ts';

/** Which groups of an update are drawn: all at first, later those to replace. */
export interface Draw {
  /** 0: the first */
  readonly draw: number;
  /** places of the groups in the update, in order */
  readonly places: readonly number[];
}

/** All groups of an update. */
export function firstDraw({ play }: Pick<GrpoSettings, 'play'>): Draw {
  return { draw: 0, places: Array.from({ length: play.promptsPerUpdate }, (_, place) => place) };
}

/** The stream of a group's draws: the first draw's is that of runs without redraws. */
export function streamOfDraw(update: Random, draw: number): Random {
  return draw === 0 ? update : update.stream('redraw').stream(draw);
}

/**
 * The groups of an update, replaced at most `redraws` times each. `drawn` gives the groups at the asked places, in that order. Errors: those
 * of `drawn`.
 */
export async function withRedraws(
  settings: Pick<GrpoSettings, 'play'>,
  drawn: (asked: Draw) => Promise<AttemptGroups>,
): Promise<AttemptGroups> {
  const { redraws } = settings.play;
  const first = await drawn(firstDraw(settings));
  if (redraws === undefined) return first;
  const kept = inGroups(first);
  const replaced: PlayedAttempt[] = [];
  for (let draw = 1; draw <= redraws; draw++) {
    const places = kept.flatMap((group, place) => (hasSpread(group) ? [] : [place]));
    if (places.length === 0) break;
    const others = inGroups(await drawn({ draw, places }));
    invariant(others.length === places.length, 'withRedraws: another number of groups than asked for');
    places.forEach((place, which) => {
      replaced.push(...kept[place]!);
      kept[place] = others[which]!;
    });
  }
  return { ...first, attempts: kept.flat(), replaced };
}

function hasSpread(group: readonly PlayedAttempt[]): boolean {
  return group.some(({ reward }) => reward !== group[0]!.reward);
}
