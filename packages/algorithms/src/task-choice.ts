/**
 * Which tasks of its list a round plays, where not all: whoever decides it, such as a curriculum, hears how every episode ended, and is asked anew for each group of
 * episodes. What was chosen stands in the run's state, as what a round plays always does, so a run that goes on has the same draws.
 */
import { EmacError, type Task } from '@emac/core';
import type { Running, TaskChoice } from './dagger-run.ts';
import type { DaggerState } from './dagger-state.ts';

/** Puts the tasks of the next group, before it is begun, where the round plays next. */
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
  // the rest stands for what later groups choose
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

/** Tells the choice of a run that goes on what it knew. Errors: `data` for a run that began without one, or with one. */
export function restoreChoice(choice: TaskChoice | undefined, state: DaggerState): void {
  if ('choice' in state !== (choice !== undefined)) {
    const [before, now] = choice ? ['all', 'chosen'] : ['chosen', 'all'];
    throw new EmacError(
      'data',
      `training state: its rounds played ${before} of the tasks, here they are ${now}; go on with the settings of that run`,
    );
  }
  choice?.restore(state.choice);
}
