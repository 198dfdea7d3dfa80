/** The parts and state of a PPO run, and how it starts or resumes. */
import type { RowsOf } from '../episode-order.ts';
import {
  invariant,
  parametersOf,
  vectorOf,
  type ActorCritic,
  type ParameterSet,
  type Random,
  type Seed,
  type StepOutcome,
  type Steppable,
  type Vector,
  type VectorState,
} from '@emac/core';
import { createOptimizer, type Optimizer, type OptimizerState } from '@emac/optim';
import {
  trainingSeed,
  type CollectedSteps,
  type FinishedEpisode,
  type RunningEpisode,
  type SaidSteps,
  type StateDigest,
  type StepRater,
  type StepTexts,
} from '@emac/rollout';
import type { Asking } from '../ahead.ts';
import { restoreChoice, resumedState, stopIfAsked } from '../run-state.ts';
import { versionsOf, type Versions, type VersionsAt } from '../versions.ts';
import type { TemporalState } from './novelty.ts';
import type { ShapingState } from './shaping.ts';
import { checkPpoSettings, updatesOf, type PpoSettings } from './ppo-settings.ts';
import type { ActionPredictor, Predicting } from './action-predictor.ts';

/**
 * Chooses the next episode by earlier results: a curriculum. Its state holds everything its choices depend on. An
 * episode's end is reported before the place's next seed is requested.
 */
export interface EpisodeChoice {
  /** of the n-th episode, from 0, at a place */
  seedOf(place: number, episode: number): Seed;
  ended(place: number, outcome: StepOutcome): void;
  /** for a line of metrics */
  measures?(): Readonly<Record<string, number>>;
  /** plain JSON */
  state(): unknown;
  /** Errors: `data` for the state of another. */
  restore(state: unknown): void;
}

/** A listener for the acting phase, such as a server that computes the answers. */
export interface Acting {
  /** before the policy acts in an update, from 0, under the parameters that it has now */
  begin(update: number): Promise<void>;
  /** called before learning; the returned numbers go into the update's metrics line. Errors end the run there. */
  end(): Promise<Readonly<Record<string, number>>>;
}

/** The steps of an update in the form sent to workers. */
export interface AskedSteps {
  /** from 0 */
  readonly update: number;
  /** of each environment */
  readonly steps: number;
  readonly temperature: number;
  /** all trainable parameters of the acting policy, critic included */
  readonly parameters: ParameterSet;
  readonly groups: readonly AskedGroup[];
}

/** Environments that are played together. */
export interface AskedGroup {
  /** place of the first of them among all */
  readonly first: number;
  /** the environments' state */
  readonly state: VectorState;
  /** seed and names of each environment's generator */
  readonly randoms: readonly string[];
}

/** Workers where the policy acts. */
export interface StepsElsewhere {
  /** The policy's answers in each group. Errors end the run there. */
  play(asked: AskedSteps, asking: Asking): Promise<readonly SaidSteps[]>;
  /** the same there and here */
  readonly digest: StateDigest;
}

export interface PpoRun<Action = number> {
  readonly settings: PpoSettings;
  readonly actorCritic: ActorCritic;
  /** stepped side by side, one object each; the run resets and steps them, and leaves their episodes when it ends */
  readonly environments: readonly Steppable<unknown, Action>[];
  readonly texts: StepTexts<Action>;
  readonly random: Random;
  /** `episodes`: every pass takes episode after episode, cut where a minibatch is full; default `steps` */
  readonly rows?: RowsOf;
  /** needed for utility shaping */
  readonly rate?: StepRater<Action>;
  /** needed for novelty shaping; trained in place */
  readonly predictor?: ActionPredictor;
  /** absent: every episode's seed is drawn from the training seeds */
  readonly choice?: EpisodeChoice;
  readonly metrics: (line: PpoLine) => void | Promise<void>;
  /** called with the steps of an update, from 0, before `episode` */
  readonly collected?: (steps: CollectedSteps<Action>, update: number) => void;
  /** called for every ended episode, in order, after the steps of an update */
  readonly episode?: (episode: FinishedEpisode) => void | Promise<void>;
  /** called before the first update and after each; the arrays are live: store or copy them before it returns */
  readonly checkpoint?: (checkpoint: PpoCheckpoint) => void | Promise<void>;
  readonly acting?: Acting;
  /** absent: the policy acts here. Episodes must be drawn, not chosen */
  readonly elsewhere?: StepsElsewhere;
  /** where to resume; parameters must be of the same moment */
  readonly resume?: PpoCheckpoint;
  /** ends the run early, between two updates; called after each */
  readonly isOver?: () => boolean;
  /** stops the run after the update under way */
  readonly signal?: AbortSignal;
}

/** One line of `metrics.jsonl`: no clock, path or process in it. Updates count from 0. */
export interface PpoLine {
  readonly v: 1;
  readonly kind: 'update';
  readonly phase: 'ppo';
  readonly update: number;
  readonly [field: string]: string | number | null;
}

/**
 * The state of a run between two updates, as plain JSON: every random draw has a stream named by its place in the run,
 * and environments report their own mid-episode state.
 */
export interface PpoState {
  readonly v: 1;
  readonly kind: 'ppo';
  /** seed and stream names of the run's generator */
  readonly randomPath: string;
  /** made so far */
  update: number;
  environmentSteps: number;
  /** finished */
  episodes: number;
  /** optimizer steps */
  gradientSteps: number;
  vector: VectorState;
  /** by place */
  running: readonly RunningEpisode[];
  /** absent without shaping, and before the first update */
  shaping?: ShapingState;
  /** state of the episode choice, if there is one */
  choice?: unknown;
  /** absent without a predictor, and before the first update */
  temporal?: TemporalState;
}

export interface PpoCheckpoint extends VersionsAt {
  readonly state: PpoState;
  readonly optimizer: {
    readonly policy: OptimizerState;
    readonly value: OptimizerState;
    /** absent without a predictor, and before its first update */
    readonly predictor?: OptimizerState;
  };
}

/** A run with its changing state. */
export interface RunningPpo<Action = number> extends PpoRun<Action> {
  readonly state: PpoState;
  readonly vector: Vector<Action>;
  readonly versions: Versions;
  /** separate, so the critic can learn alone without decaying the policy's moments */
  readonly optimizers: { readonly policy: Optimizer; readonly value: Optimizer };
  /** null without a predictor */
  readonly predicting: Predicting | null;
  /** of the whole run */
  readonly updates: number;
}

/**
 * A run at its beginning, or at its checkpoint. Errors: `usage` for settings out of range, `data` if the checkpoint
 * belongs to another run; those of the environments.
 */
export async function beginPpo<Action>(run: PpoRun<Action>): Promise<RunningPpo<Action>> {
  const { settings, actorCritic, environments, texts, random, choice, resume } = run;
  checkPpoSettings(settings, environments.length);
  const { utility, temporalPredictor } = settings.shaping;
  invariant(run.rate || utility === null, 'PPO: --utility needs a function that rates steps');
  invariant(run.predictor || temporalPredictor === 0, 'PPO: --temporal-predictor needs a predictor');
  // a place's next episode depends on results at other places
  invariant(!choice || !run.elsewhere, 'PPO: workers play sampled episodes, this run chooses its episodes');
  // it is called when the current policy acts
  const isStale = (settings.optimization.maxStaleness ?? 0) > 0;
  invariant(!isStale || !run.acting, 'PPO: stale steps need a run without a function for the newest policy');
  // its state names an episode by place and number, from which a drawn seed follows
  invariant(
    !choice || temporalPredictor === 0,
    'PPO: --temporal-predictor needs sampled episodes, this run chooses its episodes',
  );
  const vector = vectorOf(environments, {
    seedOf: choice
      ? (place, episode) => choice.seedOf(place, episode)
      : (place, episode) => trainingSeed(random, place, episode),
    lastFrames: texts.frames,
    ended: (place, outcome) => choice?.ended(place, outcome),
  });
  const owner = { v: 1, kind: 'ppo', randomPath: random.path } as const;
  const stored = resume && resumedState(resume.state, owner);
  if (stored) restoreChoice(choice, stored);
  const { groups } = actorCritic;
  const versions = versionsOf(
    {
      live: parametersOf({ groups: [...groups.policy, ...groups.value] }),
      commit: () => actorCritic.commit(),
    },
    settings.optimization,
    resume,
  );
  const optimizers = {
    policy: createOptimizer(groups.policy, settings.optimization, resume?.optimizer.policy),
    value: createOptimizer(groups.value, settings.optimization, resume?.optimizer.value),
  };
  await begin(vector, resume?.state.vector);
  return {
    ...run,
    vector,
    versions,
    state: stored ?? firstState(owner, vector),
    optimizers,
    predicting:
      run.predictor && temporalPredictor > 0
        ? { predictor: run.predictor, optimizer: resume?.optimizer.predictor ?? null }
        : null,
    updates: updatesOf(settings, environments.length),
  };
}

/** Restores the environments, or begins their first episodes. On failure no episode stays open. */
async function begin(vector: Vector<never>, stored: VectorState | undefined): Promise<void> {
  try {
    await (stored ? vector.restore(stored) : vector.reset());
  } catch (thrown) {
    await vector.close();
    throw thrown;
  }
}

function firstState(owner: Pick<PpoState, 'v' | 'kind' | 'randomPath'>, vector: Vector<never>): PpoState {
  return {
    ...owner,
    update: 0,
    environmentSteps: 0,
    episodes: 0,
    gradientSteps: 0,
    vector: vector.state(),
    running: vector.environments.map(() => ({ return: 0, steps: 0 })),
  };
}

/**
 * Emits a checkpoint, with the environments as they were after the steps learned from. Errors: `interrupted` once it
 * was asked to stop.
 */
export async function saveState<Action>(run: RunningPpo<Action>, vector: VectorState): Promise<void> {
  const { state, versions, optimizers, predicting, checkpoint, choice } = run;
  state.vector = vector;
  if (choice) state.choice = choice.state();
  const { policy, value } = optimizers;
  await checkpoint?.({
    state: structuredClone(state),
    optimizer: {
      policy: policy.state(),
      value: value.state(),
      ...(predicting?.optimizer && { predictor: predicting.optimizer }),
    },
    ...versions.earlier(),
  });
  stopIfAsked(run);
}
