/**
 * How little the actions of episodes that failed were expected of a predictor which reads how an episode began: a bonus for what is new, the
 * "temporal predictor" of RL4VLM's fork (Bissmella/VLM_finetune). Novelty of a step is the cross-entropy of its action, in the sequence of
 * the episode's actions; over an update it is stretched to [0, 1] and scaled.
 *
 * Departures from its code: sequences are of whole episodes, from their first picture, where the code cuts them at the ends of an update; what goes on
 * beyond the update has not failed yet; an action's tokens are counted without what ends an answer, which the last one has in the code.
 */
import type { CollectedSteps } from '@emac/rollout';

/** What was done in an episode, and which one of the run it is, from 0; its seed follows from that. */
export interface ActedEpisode {
  /** its place */
  readonly environment: number;
  /** of those at that place */
  readonly episode: number;
  /** by number, from its first step */
  readonly actions: readonly number[];
}

/** One that ended in an update. */
export interface EndedEpisode extends ActedEpisode {
  /** where in the update its newest steps are [S · E]: those of an earlier update are not among them */
  readonly places: readonly number[];
  /** undiscounted */
  readonly return: number;
}

/** What the predictor's side of a run remembers, as plain JSON. */
export interface TemporalState {
  /** those that ended last, the oldest first */
  readonly kept: readonly ActedEpisode[];
  /** those that go on, by place */
  readonly running: readonly ActedEpisode[];
}

/** Episodes that the predictor learns from, as published. */
const keptAtMost = 160;

type Steps = Pick<CollectedSteps, 'environments' | 'actions' | 'terminated' | 'truncated' | 'finished'>;

/** The episodes that ended in an update, in the order of their ends, and those that go on; `before` is null at the beginning of a run. */
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

/** What is remembered after an update: of the episodes that ended the newest 160. */
export function temporalStateAfter(
  before: TemporalState | null,
  { ended, running }: ReturnType<typeof actedEpisodes>,
): TemporalState {
  return { kept: [...(before?.kept ?? []), ...ended.map(plain)].slice(-keptAtMost), running };
}

/** Token ids that sequences of actions are made of. */
export interface SequenceWords {
  /** one or more for each action, by its number */
  readonly actions: readonly (readonly number[])[];
  /** between two actions */
  readonly separator: readonly number[];
}

/** Actions as an answer has them. */
export interface ActionSequence {
  readonly tokens: readonly number[];
  /** where in them each action begins and ends; fewer than actions where they are too long */
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

/** An episode that failed, with the cross-entropy of its actions from the first, as far as they were scored. */
export interface ScoredEpisode extends EndedEpisode {
  readonly surprisals: readonly number[];
}

/** Novelty of each step of an update in nats: of those whose answer named their action, in these episodes; null where nothing counts [S · E]. */
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

/** Bonuses from 0 for the least novel step to the scale for the most novel one; what does not count has novelty 0, as published [S · E]. */
export function noveltyBonuses(novelties: readonly (number | null)[], scale: number): Float64Array {
  const values = Float64Array.from(novelties, (novelty) => novelty ?? 0);
  let [least, most] = [Infinity, -Infinity];
  for (const value of values) [least, most] = [Math.min(least, value), Math.max(most, value)];
  return values.map((value) => (scale * (value - least)) / (most - least + 1e-8));
}
