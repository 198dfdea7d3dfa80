/**
 * Ratings of single steps, from 0 (useless) to 10 (very useful). They serve as a dense reward, or replace advantages
 * early in a run, as in RL4VLM's fork (Bissmella/VLM_finetune). The caller provides the rater.
 *
 * Departures from its code: returns are the critic's targets, not sums of rewards of 0.08 for a failure. Random actions
 * need no return of −1, since the policy learns nothing from them. The share falls to 0 with a run of any length, not
 * of 100 updates.
 */
import { normalized, type CollectedSteps, type FinishedEpisode } from '@emac/rollout';

type Rated = Pick<CollectedSteps<unknown>, 'ratings' | 'rewards'>;

/** A step's extra reward in a successful episode, [0, 0.04]: 0 below a rating of 3, and 0.04 at 10. */
export function utilityReward(rating: number): number {
  return rating < 3 ? 0 : (0.04 * (Math.min(rating, 10) - 2)) / 8;
}

/** The reward of each step by its rating, in episodes that succeeded; nothing for the steps that ended them [S · E]. */
export function utilityRewards(
  { ratings }: Rated,
  episodes: readonly (FinishedEpisode | null)[],
): Float64Array {
  return Float64Array.from(ratings, (rating, place) => {
    const episode = episodes[place];
    return rating !== null && episode && episode.return > 0 ? utilityReward(rating) : 0;
  });
}

/**
 * α, the share of utilities in the advantages of an update: 1 in the first four, then falling to 0 after a quarter of
 * the run.
 */
export function utilityShare(update: number, updates: number): number {
  const end = Math.floor(updates / 4);
  if (update < 4) return 1;
  return update < end ? 1 - (update - 2) / (end - 2) : 0;
}

/** Ratings from 0 to 1 [S · E]. A terminal step has 1 if it was rewarded, else the mean of all rated steps. */
export function utilitiesOf({ ratings, rewards }: Rated): Float64Array {
  const rated = ratings.filter((rating) => rating !== null).map((rating) => Math.min(rating, 10) / 10);
  const mean = rated.length > 0 ? rated.reduce((sum, utility) => sum + utility, 0) / rated.length : 0;
  return Float64Array.from(ratings, (rating, place) => {
    if (rewards[place]! > 0) return 1;
    return rating === null ? mean : Math.min(rating, 10) / 10;
  });
}

/** The share of rated steps among non-terminal ones, as terminal ones have no rating; null without any. */
export function ratedShare({
  ratings,
  terminated,
  truncated,
}: Pick<CollectedSteps<unknown>, 'ratings' | 'terminated' | 'truncated'>): number | null {
  const asked = ratings.filter((_, place) => !terminated[place] && !truncated[place]);
  return asked.length > 0 ? asked.filter((rating) => rating !== null).length / asked.length : null;
}

export interface UtilityMix {
  /** α */
  readonly share: number;
  /** [S · E] */
  readonly utilities: Float64Array;
}

export interface Estimates {
  /** [S · E] */
  readonly advantages: Float64Array;
  /** [S · E] */
  readonly returns: Float64Array;
  /** added to the deviation of the returns */
  readonly epsilon: number;
}

/** α · utility · (R with mean 0 and deviation 1) + (1 − α) · A [S · E]. */
export function mixedAdvantages(
  { share, utilities }: UtilityMix,
  { advantages, returns, epsilon }: Estimates,
): Float64Array {
  const scaled = normalized(returns, epsilon);
  return advantages.map(
    (advantage, place) => share * utilities[place]! * scaled[place]! + (1 - share) * advantage,
  );
}
