/**
 * A novelty bonus in failed episodes: how little a predictor, which reads an episode's beginning, expected each action.
 * It is the "temporal predictor" of RL4VLM's fork (Bissmella/VLM_finetune). A step's novelty is the cross-entropy of
 * its action within the episode's action sequence, stretched to [0, 1] over an update and scaled.
 *
 * Departures from its code: sequences are whole episodes with their first picture; the code cuts them at update ends.
 * An unfinished episode has not failed yet. An action's tokens exclude the end token, which the code includes for the
 * last action.
 */
import type { CollectedSteps } from '@emac/rollout';

/** The actions of an episode and its number in the run, from 0, which decides its seed. */
export interface ActedEpisode {
  /** its place */
  readonly environment: number;
  /** among those at that place */
  readonly episode: number;
  /** by number, from its first step */
  readonly actions: readonly number[];
}

/** An episode ended in this update. */
export interface EndedEpisode extends ActedEpisode {
  /** indices of its steps in this update [S · E]; steps of earlier updates are not included */
  readonly places: readonly number[];
  /** undiscounted */
  readonly return: number;
}

/** The predictor's state, as plain JSON. */
export interface TemporalState {
  /** the last ended episodes, oldest first */
  readonly kept: readonly ActedEpisode[];
  /** episodes under way, by environment */
  readonly running: readonly ActedEpisode[];
}

/** Episodes that the predictor learns from, as published. */
const keptAtMost = 160;

type Steps = Pick<CollectedSteps, 'environments' | 'actions' | 'terminated' | 'truncated' | 'finished'>;

/** Episodes ended in an update, in order of their ends, and those under way; `before` is null at the start of a run. */
export function actedEpisodes(
  { environments, actions, terminated, truncated, finished }: Steps,
  before: readonly ActedEpisode[] | null,
): { readonly ended: readonly EndedEpisode[]; readonly running: readonly ActedEpisode[] } {
  const running = Array.from({ length: environments }, (_, environment) => {
    const known = before?.[environment] ?? { environment, episode: 0, actions: [] };
    return { ...known, actions: [...known.actions], places: [] as number[] };
  });
  const ended: EndedEpisode[] = [];
  actions.forEach((action, place) => {
    const environment = place % environments;
    const current = running[environment]!;
    current.actions.push(action);
    current.places.push(place);
    if (!terminated[place] && !truncated[place]) return;
    ended.push({ ...current, return: finished[ended.length]!.return });
    running[environment] = { environment, episode: current.episode + 1, actions: [], places: [] };
  });
  return { ended, running: running.map(plain) };
}

function plain({ environment, episode, actions }: ActedEpisode): ActedEpisode {
  return { environment, episode, actions };
}

/** The state after an update: the newest 160 ended episodes. */
export function temporalStateAfter(
  before: TemporalState | null,
  { ended, running }: ReturnType<typeof actedEpisodes>,
): TemporalState {
  return { kept: [...(before?.kept ?? []), ...ended.map(plain)].slice(-keptAtMost), running };
}

/** Token ids used in action sequences. */
export interface SequenceWords {
  /** one or more for each action, by its number */
  readonly actions: readonly (readonly number[])[];
  /** between two actions */
  readonly separator: readonly number[];
}

/** Actions as an answer has them. */
export interface ActionSequence {
  readonly tokens: readonly number[];
  /** start and end of each action in them; fewer than actions if the sequence is too long */
  readonly spans: readonly { readonly start: number; readonly end: number }[];
}

/** As many whole actions, from the first, as `room` tokens hold. */
export function sequenceOf(actions: readonly number[], words: SequenceWords, room: number): ActionSequence {
  const tokens: number[] = [];
  const spans: { start: number; end: number }[] = [];
  for (const action of actions) {
    const between = spans.length > 0 ? words.separator : [];
    const said = words.actions[action]!;
    const start = tokens.length + between.length;
    if (start + said.length > room) break;
    tokens.push(...between, ...said);
    spans.push({ start, end: start + said.length });
  }
  return { tokens, spans };
}

/** Cross-entropy of each action of a sequence in nats, −Σ log p of its tokens. */
export function surprisals({ spans }: ActionSequence, logProbabilities: ArrayLike<number>): number[] {
  return spans.map(({ start, end }) => {
    let sum = 0;
    for (let token = start; token < end; token++) sum -= logProbabilities[token]!;
    return sum;
  });
}

/** A failed episode with its actions' cross-entropies, as far as they were scored. */
export interface ScoredEpisode extends EndedEpisode {
  readonly surprisals: readonly number[];
}

/** Novelty of each step of an update in nats, for named actions in these episodes; else null [S · E]. */
export function noveltiesOf(
  { readings }: Pick<CollectedSteps<unknown>, 'readings'>,
  episodes: readonly ScoredEpisode[],
): (number | null)[] {
  const found = Array<number | null>(readings.length).fill(null);
  for (const { actions, places, surprisals: ofActions } of episodes) {
    const earlier = actions.length - places.length;
    places.forEach((place, step) => {
      if (readings[place]!.action !== null) found[place] = ofActions[earlier + step] ?? null;
    });
  }
  return found;
}

/**
 * Bonuses from 0 for the least novel step to `scale` for the most novel; excluded steps have novelty 0, as published [S
 * · E].
 */
export function noveltyBonuses(novelties: readonly (number | null)[], scale: number): Float64Array {
  const values = Float64Array.from(novelties, (novelty) => novelty ?? 0);
  let [least, most] = [Infinity, -Infinity];
  for (const value of values) [least, most] = [Math.min(least, value), Math.max(most, value)];
  return values.map((value) => (scale * (value - least)) / (most - least + 1e-8));
}
