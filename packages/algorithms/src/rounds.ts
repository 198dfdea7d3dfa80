/** The tasks and groups of a round, and its number of updates. */
import { EmacError, type Trajectory } from '@emac/core';
import type { Running } from './dagger-run.ts';
import { emptyTally, type DaggerState } from './dagger-state.ts';
import type { TrainingSettings } from './settings.ts';
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
