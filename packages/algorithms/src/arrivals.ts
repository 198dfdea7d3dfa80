/** Rounds of tasks that come in an order which somebody else decides, one at a time. */
import { invariant } from '@emac/core';
import type { Running } from './dagger-run.ts';
import { groupOf } from './rounds.ts';

/**
 * Puts the task that has come where the round plays next. A task that the round does not play any more, or that the policy has
 * solved, is turned away; one that nobody knew takes the place of one that was expected. False where no other comes: the
 * round ends early.
 */
export async function arranged(run: Running): Promise<boolean> {
  const { state, environment } = run;
  const { arrivals } = environment;
  // an episode that an interruption cut off is not gone on with: its environment has let it go
  if (!arrivals || (state.current && state.current.learning !== null)) return true;
  invariant(groupOf(run).length === 1, 'dagger: tasks that come one at a time are played one at a time');
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
