/**
 * Who plays the steps of the updates, and when: this process, when an update begins; or others, who play those of the next K updates (`maxStaleness`)
 * while one learns here. Steps begin where those before them ended, so they are asked for one update after the other.
 */
import { EmacError, type ParameterSet, type VectorState } from '@emac/core';
import {
  collectSaid,
  collectSteps,
  groupsOf,
  stateOf,
  type CollectedSteps,
  type Collection,
} from '@emac/rollout';
import type { Asking, PpoState, RunningPpo, StepsElsewhere } from './ppo-run.ts';
import { underVersion } from './versions.ts';

/** The steps of an update. */
export interface Played<Action> {
  readonly update: number;
  /** updates that the policy had made that said them */
  readonly version: number;
  readonly steps: CollectedSteps<Action>;
  /** what the environments were in after them */
  readonly vector: VectorState;
}

export interface Playing<Action> {
  /** Those of the update that comes. Errors: those of policy, environments and whoever plays. */
  next(): Promise<Played<Action>>;
  /** Ends what is played ahead, and waits until it has ended. */
  stop(): Promise<void>;
}

/** From where the run stands. */
export function beginPlaying<Action>(run: RunningPpo<Action>): Playing<Action> {
  const { elsewhere, versions, state } = run;
  if (elsewhere) return versions.limit > 0 ? playingAhead(run, elsewhere) : playingInTurn(run, elsewhere);
  return { next: () => playedHere(run, state), stop: async () => {} };
}

/** Errors: `check-failed` for steps of a policy that is too old, or younger than the one that learns. */
export function stalenessOf(
  { update, version }: Pick<Played<unknown>, 'update' | 'version'>,
  limit: number,
): number {
  const staleness = update - version;
  if (staleness >= 0 && staleness <= limit) return staleness;
  throw new EmacError(
    'check-failed',
    `training: update ${update} must learn from steps of a policy at most ${limit} updates old (--max-staleness), these are of the one after ${version}; begin a new run`,
  );
}

/** An update, and the episodes under way before its steps. */
type Turn = Pick<PpoState, 'update' | 'running'>;

async function playedHere<Action>(run: RunningPpo<Action>, turn: Turn): Promise<Played<Action>> {
  const { actorCritic, versions, vector } = run;
  const { update } = turn;
  const version = versions.playing(update);
  const play = () => collectSteps(collectionOf(run, turn));
  const isStale = version < update;
  const steps = isStale ? await underVersion(actorCritic, versions.at(version), play) : await play();
  return { update, version, steps, vector: vector.state() };
}

function playingInTurn<Action>(run: RunningPpo<Action>, elsewhere: StepsElsewhere): Playing<Action> {
  const { state, versions } = run;
  const stop = new AbortController();
  const asking = { signal: stop.signal, put: () => {} };
  const next = () => {
    const parameters = versions.at(state.update);
    return playedElsewhere(run, state, { elsewhere, parameters, asking });
  };
  return { next, stop: async () => stop.abort() };
}

interface Ahead<Action> {
  readonly played: Promise<Played<Action>>;
  /** resolves when others can begin with it, or never will */
  readonly begun: Promise<unknown>;
}

function playingAhead<Action>(run: RunningPpo<Action>, elsewhere: StepsElsewhere): Playing<Action> {
  const { state, updates, versions } = run;
  const stop = new AbortController();
  const ahead: Ahead<Action>[] = [];
  let following = state.update;
  let before: Promise<Pick<Turn, 'running'>> = Promise.resolve({ running: state.running });
  const ask = (): void => {
    const update = following++;
    // taken now: when its turn comes it may be kept no longer
    const parameters = versions.at(versions.playing(update));
    let put = (): void => {};
    const wasPut = new Promise<void>((resolve) => (put = resolve));
    const by = { elsewhere, parameters, asking: { signal: stop.signal, put } };
    const played = before.then(({ running }) => playedElsewhere(run, { update, running }, by));
    // a fault is told where its steps are waited for
    const begun = Promise.race([wasPut, played.catch(() => {})]);
    before = played.then(({ steps }) => steps);
    before.catch(() => {});
    ahead.push({ played, begun });
  };
  return {
    async next() {
      while (following <= Math.min(updates - 1, state.update + versions.limit)) ask();
      const played = await ahead[0]!.played;
      ahead.shift();
      // who learns may keep this process busy: what follows is asked before that
      await ahead[0]?.begun;
      return played;
    },
    async stop() {
      stop.abort();
      await Promise.allSettled(ahead.map(({ played }) => played));
    },
  };
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
