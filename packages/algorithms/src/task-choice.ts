/**
 * Plays only chosen tasks of the list in a round, for example by a curriculum. The choice is told every episode's
 * result, and chooses again for each group of episodes. The run's state holds the chosen tasks, as for every round, so
 * a resumed run has the same draws.
 */
import type { Task } from '@emac/core';
import type { Running } from './dagger-run.ts';
import type { DaggerState } from './dagger-state.ts';

/** Places the tasks of the next group next in the round. */
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
