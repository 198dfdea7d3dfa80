/** Rounds of tasks whose order a client decides, one at a time. */
import { invariant } from '@emac/core';
import type { Running } from './dagger-run.ts';
import { groupOf } from './rounds.ts';

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
