/**
 * Who plays the steps of the updates, and when: this process, when an update begins; or others, who play those of the next K updates (`maxStaleness`)
 * while one learns here. Steps begin where those before them ended, so they are asked for one update after the other.
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
import type { PpoState, RunningPpo, StepsElsewhere } from './ppo-run.ts';

/** The steps of an update. */
export interface Played<Action> {
  readonly update: number;
  /** updates that the policy had made that said them */
  readonly version: number;
  readonly steps: CollectedSteps<Action>;
  /** what the environments were in after them */
  readonly vector: VectorState;
}

/** From where the run stands. Errors of `next`: those of policy, environments and whoever plays. */
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

/** Others say what the policy says; the environments here are stepped by it. */
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
      temperature: settings.play.temperature,
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

/** The policy acts in all environments; what each draws is named by its place and the update. */
function collectionOf<Action>(
  { actorCritic, vector, texts, settings, random, rate }: RunningPpo<Action>,
  { update, running }: Turn,
): Collection<Action> {
  const { stepsPerUpdate, temperature, together = null } = settings.play;
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
