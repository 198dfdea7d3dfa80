/**
 * Shaping added to the steps of an update besides the environment's rewards: pure functions of the collected steps and
 * earlier counts. Like RL4VLM's fork (Bissmella/VLM_finetune), it adds bonuses to already normalized advantages.
 *
 * Departures from its code: an unfinished episode has not failed yet and earns nothing. Uses of an action are counted
 * from the beginning of the episode, not of the update.
 */
import type { CollectedSteps, FinishedEpisode } from '@emac/rollout';
import type { PpoShapingSettings } from './ppo-settings.ts';
import { ratedShare, utilitiesOf, utilityRewards, utilityShare, type UtilityMix } from './utility.ts';

/** Uses of each action in an episode so far, by its number in digits; absent means 0. */
export type ActionCounts = Readonly<Record<string, number>>;

/** Shaping's state of the episodes under way, as plain JSON. */
export interface ShapingState {
  /** by place */
  readonly actionCounts: readonly ActionCounts[];
}

/** The shaping terms; null if not used. */
export interface Shaped {
  /** to each reward [S · E] */
  readonly rewards: Float64Array | null;
  /** mixed into the advantages before they are normalized */
  readonly mix: UtilityMix | null;
  /** to each advantage, normalized or not [S · E] */
  readonly bonuses: Float64Array | null;
  /** of the steps that may have a rating; null if ratings add nothing */
  readonly ratedShare: number | null;
  /** after the last step */
  readonly state: ShapingState | null;
}

/** An update's place in its run. */
export interface ShapingMoment {
  /** state after the previous update; null before the first */
  readonly before: ShapingState | null;
  /** from 0 */
  readonly update: number;
  /** of the whole run */
  readonly updates: number;
}

type Episodes = Pick<CollectedSteps<unknown>, 'environments' | 'terminated' | 'truncated' | 'finished'>;
type Actions = Episodes & Pick<CollectedSteps<unknown>, 'actions' | 'readings'>;

export function shapedSteps(
  steps: Actions & Pick<CollectedSteps<unknown>, 'ratings' | 'rewards'>,
  { actionFrequencyBonus: scale, utility }: Omit<PpoShapingSettings, 'temporalPredictor'>,
  { before, update, updates }: ShapingMoment,
): Shaped {
  const share = utility === 'advantage' ? utilityShare(update, updates) : 0;
  const uses = scale > 0 ? actionUses(steps, before?.actionCounts ?? []) : null;
  return {
    rewards: utility === 'reward' ? utilityRewards(steps, episodesOf(steps)) : null,
    mix: share > 0 ? { share, utilities: utilitiesOf(steps) } : null,
    bonuses: uses && frequencyBonuses(steps, { scale, used: uses.used }),
    ratedShare: utility === 'reward' || share > 0 ? ratedShare(steps) : null,
    state: uses && { actionCounts: uses.after },
  };
}

/** scale · (answer named its action) · (episode failed) / √(uses of that action in the episode so far) [S · E]. */
function frequencyBonuses(
  steps: Actions,
  { scale, used }: { readonly scale: number; readonly used: readonly number[] },
): Float64Array {
  const episodes = episodesOf(steps);
  return Float64Array.from(used, (count, place) => {
    const episode = episodes[place]!;
    const counts = steps.readings[place]!.action !== null && episode !== null && episode.return <= 0;
    return counts ? scale / Math.sqrt(count) : 0;
  });
}

/** Uses of each step's action in its episode so far, itself included [S · E], and the counts of unfinished episodes. */
function actionUses(
  { environments, actions, terminated, truncated }: Actions,
  before: readonly ActionCounts[],
): { readonly used: readonly number[]; readonly after: readonly ActionCounts[] } {
  const counts = Array.from({ length: environments }, (_, place): Record<string, number> => ({
    ...before[place],
  }));
  const used = actions.map((action, place) => {
    const environment = place % environments;
    const name = String(action);
    const count = (counts[environment]![name] ?? 0) + 1;
    if (terminated[place] || truncated[place]) counts[environment] = {};
    else counts[environment]![name] = count;
    return count;
  });
  return { used, after: counts };
}

/** Each step's episode result; null if unfinished at the last step [S · E]. */
export function episodesOf({
  environments,
  terminated,
  truncated,
  finished,
}: Episodes): (FinishedEpisode | null)[] {
  const found = Array<FinishedEpisode | null>(terminated.length).fill(null);
  let ends = finished.length;
  for (let place = found.length - 1; place >= 0; place--)
    found[place] =
      terminated[place] || truncated[place] ? finished[--ends]! : (found[place + environments] ?? null);
  return found;
}
