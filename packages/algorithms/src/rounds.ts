/** The tasks and groups of a round, and its number of updates. */
import { EmacError, invariant, type Task, type Trajectory } from '@emac/core';
import type { Running } from './dagger-run.ts';
import { emptyTally, type DaggerState } from './dagger-state.ts';
import type { TrainingSettings } from './label-settings.ts';
import { wonByPolicy } from './tally.ts';

/** Sets the round's tasks: the whole list without solved ones. False if the round is already under way. */
export function beginRound({ state, settings, environment, choice }: Running): boolean {
  if (state.playing !== null) return false;
  const solved = new Set(settings.play.skipSolved ? state.solved : []);
  const { tasks, arrivals } = environment;
  const length = Math.max(tasks.length, environment.arrivals?.count ?? 0);
  const places = Array.from({ length }, (_, place) => place);
  const playing = places.filter((place) => !solved.has(tasks[place]?.id ?? ''));
  state.playing = playing.slice(0, arrivals?.count ?? choice?.perRound);
  return true;
}

/** Number of tasks in a full round. */
export function roundSize({ environment, choice }: Pick<Running, 'environment' | 'choice'>): number {
  const { tasks, arrivals } = environment;
  return arrivals?.count ?? Math.min(choice?.perRound ?? Infinity, tasks.length);
}

export function isRoundOver({ playing, done }: DaggerState): boolean {
  return done >= playing!.length;
}

/** Places of the tasks that are played next by one version of the policy. */
export function groupOf({ state, settings }: Pick<Running, 'state' | 'settings'>): readonly number[] {
  return state.playing!.slice(state.done, state.done + settings.play.episodesPerUpdate);
}

/** True if the episode's steps are learned from; never for a lost one. */
export function learningOf(trajectory: Trajectory, { samples }: TrainingSettings): boolean {
  if (trajectory.end === 'lost') return false;
  return samples.trainAfter === 'every-episode' || !wonByPolicy(trajectory);
}

/** Updates that are still to be made after the group that was played: so many for each episode that is learned from. */
export function updatesLeft({ state, settings }: Pick<Running, 'state' | 'settings'>): number {
  const { learning, updates } = state.current!;
  const left = learning!.length * settings.optimization.updatesPerEpisode - updates;
  return Math.min(left, (settings.optimization.updates ?? Infinity) - state.updates);
}

/** True if the run has made all its updates. */
export function isEnough({ state, settings }: Pick<Running, 'state' | 'settings'>): boolean {
  return state.updates >= (settings.optimization.updates ?? Infinity);
}

/** The group's episode that the next update is made for. */
export function updatedEpisode({ state, settings }: Pick<Running, 'state' | 'settings'>): number {
  const { learning, updates } = state.current!;
  return learning![Math.floor(updates / settings.optimization.updatesPerEpisode)]!;
}

/** The state before the next round. */
export function endRound(state: DaggerState): void {
  const next = { round: state.round + 1, playing: null, done: 0, failures: [], tally: emptyTally() };
  Object.assign(state, next satisfies Partial<DaggerState>);
}

/** A run that got no usable label has learned nothing from its expert. Errors: `check-failed`. */
export function requireLabels({ labels }: DaggerState): void {
  const { usable, unusable, reason } = labels;
  if (usable > 0 || unusable === 0) return;
  throw new EmacError(
    'check-failed',
    `training: none of the expert's ${unusable} replies was usable (the last one: ${reason}), so the policy learned nothing; fix the expert and start a new run`,
  );
}

/**
 * Puts the arrived task at the round's next place. A task already played in the round, or solved by the policy, is
 * rejected. A new task replaces an expected one. False if no other task arrives: the round ends early.
 */
export async function arranged(run: Running): Promise<boolean> {
  const { state, environment } = run;
  const { arrivals } = environment;
  // an interrupted episode is not resumed: its environment has closed it
  if (!arrivals || (state.current && state.current.learning !== null)) return true;
  invariant(
    groupOf(run).length === 1,
    'dagger: arriving tasks are played one at a time, got a group of several',
  );
  state.current = null;
  const known = new Map(environment.tasks.map(({ id }, place) => [id, place]));
  const open = state.playing!.slice(state.done);
  const solved = new Set(run.settings.play.skipSolved ? state.solved : []);
  const done = new Set(state.playing!.slice(0, state.done));
  const place = await arrivals.next(({ id }) => !solved.has(id) && !done.has(known.get(id) ?? -1));
  if (place === null) {
    state.playing = state.playing!.slice(0, state.done);
    return false;
  }
  const others = open.includes(place) ? open.filter((each) => each !== place) : open.slice(0, -1);
  state.playing = [...state.playing!.slice(0, state.done), place, ...others];
  return true;
}

/** With a choice of tasks, such as a curriculum, places those of the next group next in the round; the state holds them for a resumed run. */
export function chooseGroup({ state, settings, environment, choice, random }: Running): void {
  if (!choice || state.current !== null) return;
  const { tasks } = environment;
  const done = state.playing!.slice(0, state.done);
  const left = openPlaces(state, { tasks, skipSolved: settings.play.skipSolved });
  const chosen: number[] = [];
  const { length } = state.playing!.slice(state.done, state.done + settings.play.episodesPerUpdate);
  const chance = random.stream('curriculum').stream(state.round);
  for (let index = 0; index < length; index++) {
    const among = left.map((place) => tasks[place]!);
    chosen.push(...left.splice(choice.pick(among, chance.stream(state.done + index)), 1));
  }
  // the rest are placeholders for later groups
  state.playing = [...done, ...chosen, ...left].slice(0, state.playing!.length);
}

/** Places that the round may still play. */
function openPlaces(
  { playing, done, solved }: DaggerState,
  { tasks, skipSolved }: { readonly tasks: readonly Task[]; readonly skipSolved: boolean },
): number[] {
  const over = new Set(playing!.slice(0, done));
  const isOpen = ({ id }: Task, place: number) => !over.has(place) && !(skipSolved && solved.includes(id));
  return [...tasks.keys()].filter((place) => isOpen(tasks[place]!, place));
}
