/**
 * Collects the steps of updates: here, when an update begins, or on workers, which play the next K updates
 * (`maxStaleness`) while the trainer learns. Steps begin in the previous steps' final states, so updates are requested
 * one after another.
 */
import type { ParameterSet, VectorState } from '@emac/core';
import {
  collectSaid,
  collectSteps,
  groupsOf,
  stateOf,
  type CollectedSteps,
  type Collection,
} from '@emac/rollout';
import { askedAhead, type Asking, type Coming } from '../ahead.ts';
import { temperatureOf } from '../shared-settings.ts';
import type { PpoState, RunningPpo, StepsElsewhere } from './ppo-run.ts';

/** The steps of an update. */
export interface Played<Action> {
  readonly update: number;
  /** number of updates of the acting policy */
  readonly version: number;
  readonly steps: CollectedSteps<Action>;
  /** the environments' state after them */
  readonly vector: VectorState;
}

/** Starts from the run's state. Errors of `next`: those of policy, environments and workers. */
export function beginPlaying<Action>(run: RunningPpo<Action>): Coming<Played<Action>> {
  const { elsewhere, versions, updates, state } = run;
  if (!elsewhere) return { next: () => playedHere(run, state), stop: async () => {} };
  return askedAhead({
    versions,
    updates,
    made: () => state.update,
    isChain: true,
    ask: async (update, before, asking) => {
      const parameters = versions.at(versions.playing(update));
      const { running } = before ? (await before).steps : state;
      return playedElsewhere(run, { update, running }, { elsewhere, parameters, asking });
    },
  });
}

/** An update, and the episodes under way before its steps. */
type Turn = Pick<PpoState, 'update' | 'running'>;

async function playedHere<Action>(run: RunningPpo<Action>, turn: Turn): Promise<Played<Action>> {
  const { versions, vector } = run;
  const { update } = turn;
  const version = versions.playing(update);
  const steps = await versions.under(version, () => collectSteps(collectionOf(run, turn)));
  return { update, version, steps, vector: vector.state() };
}

interface By {
  readonly elsewhere: StepsElsewhere;
  readonly parameters: ParameterSet;
  readonly asking: Asking;
}

/** Steps the local environments with the workers' answers. */
async function playedElsewhere<Action>(
  run: RunningPpo<Action>,
  turn: Turn,
  { elsewhere, parameters, asking }: By,
): Promise<Played<Action>> {
  const { update } = turn;
  const { settings, vector, versions } = run;
  const collection = collectionOf(run, turn);
  const { randoms, steps, together } = collection;
  const standing = vector.state();
  const said = await elsewhere.play(
    {
      update,
      parameters,
      steps,
      temperature: temperatureOf(settings.play, update, run.updates),
      groups: groupsOf(vector.environments.length, together).map((group) => ({
        first: group.first,
        state: stateOf(standing, group),
        randoms: randoms.slice(group.first, group.end).map(({ path }) => path),
      })),
    },
    asking,
  );
  const collected = await collectSaid(collection, said, elsewhere.digest);
  // environments may be steps ahead where this is stored
  const after = structuredClone(vector.state());
  return { update, version: versions.playing(update), steps: collected, vector: after };
}

/** The policy acts in all environments; each draws from a stream named by its place and the update. */
function collectionOf<Action>(
  { actorCritic, vector, texts, settings, random, rate, updates }: RunningPpo<Action>,
  { update, running }: Turn,
): Collection<Action> {
  const { stepsPerUpdate, together = null } = settings.play;
  const temperature = temperatureOf(settings.play, update, updates);
  const draws = random.stream('answers').stream(update);
  return {
    actor: actorCritic,
    vector,
    texts,
    sampling: { kind: 'sample', temperature, topP: 1 },
    steps: stepsPerUpdate,
    together,
    randoms: vector.environments.map((_, place) => draws.stream(place)),
    running,
    ...(rate && settings.shaping.utility !== null && { rate }),
  };
}
