/**
 * What a worker opens for a run: it plays, and computes gradients. Each method opens its own policy from its plan; a
 * worker knows no method.
 */
import type { ActorCritic, ActorCriticGradient, Gradient, Steppable, TaskSet } from '@emac/core';
import type { Computing, Host, StepAction } from '@emac/opening';
import type { HandlerContext, SharedFolder } from '@emac/queue';
import type { AskedPolicy, EpisodesToScore, StepTexts } from '@emac/rollout';
import type { Rows } from './rows-file.ts';

/**
 * `attempts`: whole episodes by a language model; `steps`: steps and scores by an actor with a critic; `records`: steps
 * of a collection, without a policy.
 */
export type Playing = 'attempts' | 'steps' | 'records';

/** A run's player, open. */
export interface Player {
  /** hash of the frozen networks, or the network's description; null for none */
  readonly identity: string | null;
  /** null for a small network */
  readonly computing: Computing | null;
  /** Plays what the trainer asked, with a version of the policy. Errors: `missing`, `data`, `interrupted`. */
  play(asked: unknown, context: PlayContext): Promise<unknown>;
  /** The gradient of rows at a version. Errors: `missing`, `data`. */
  gradient(version: string, rows: Rows): Promise<Gradient | ActorCriticGradient>;
  dispose(): Promise<void>;
}

export interface PlayContext extends Pick<HandlerContext, 'signal' | 'report'> {
  readonly version: string;
}

/** A player to open, and its surroundings. */
export interface Opening {
  readonly folder: SharedFolder;
  /** as the plan has it */
  readonly config: PlannedConfig;
  /** folder with the policy's parameters; null for none */
  readonly from: string | null;
  /** path of the model on this machine; null: the run's path */
  readonly model: string | null;
  readonly host: Pick<Host, 'env' | 'now' | 'signal' | 'environment' | 'memory'>;
}

/** A method's configuration as JSON; a worker itself reads only the environment. */
export interface PlannedConfig {
  readonly env: string;
}

export type Openers = Readonly<Record<Playing, (opening: Opening) => Promise<Player>>>;

type Opened = Pick<Player, 'identity' | 'computing' | 'dispose'>;

/** A stepped policy with its environments. */
export interface SteppedPolicy extends Opened {
  readonly actorCritic: ActorCritic;
  readonly texts: StepTexts<StepAction>;
  /** A new environment. Errors: `usage`. */
  environment(set: TaskSet): Steppable<unknown, StepAction>;
  /** Sampling of an evaluation's episodes and, if episodes are listed, their seeds. */
  readonly evaluation: Pick<AskedPolicy, 'sampling'> & Pick<EpisodesToScore<StepAction>, 'seedOf'>;
}

/** How to play episodes of a collection, and how to send their steps between processes. */
export interface EpisodeForm<Step> {
  /** Errors: `usage`. */
  play(episode: number): AsyncIterable<Step>;
  /** The step as plain data and arrays of numbers. */
  pack(step: Step): Promise<unknown>;
  /** Errors: `data` for anything but a packed step. */
  unpack(packed: unknown): Step;
}

/** How the methods open their policies. Errors: those of opening a policy. */
export interface Players {
  stepped(opening: Opening): Promise<SteppedPolicy>;
  /** `settings` as a collection stored them in its plan. */
  episodes(settings: PlannedConfig): EpisodeForm<unknown>;
}
