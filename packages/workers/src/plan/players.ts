/**
 * The methods' interface to a worker: each opens its policy from the plan of a run. A worker acts and differentiates
 * with that policy; it knows no method.
 */
import type { ActorCritic, Random, Steppable, TaskSet } from '@emac/core';
import type { Student } from '@emac/model';
import type { Computing, Host, StepAction } from '@emac/opening';
import type { Json, SharedFolder } from '@emac/queue';
import type { EpisodeScoring, StepTexts } from '@emac/rollout';

/** A policy to open, and its surroundings. */
export interface Opening {
  /** as the plan has it */
  readonly config: PlannedConfig;
  /** folder with the policy's parameters; null for none */
  readonly from: string | null;
  /** path of the model on this machine; null: the run's path */
  readonly model: string | null;
  readonly host: Pick<Host, 'env' | 'now' | 'signal' | 'environment'>;
}

/** A method's configuration as JSON; the worker itself reads only the environment. */
export interface PlannedConfig {
  readonly env: string;
}

/** An open policy. */
export interface Acting {
  /** hash of the frozen networks, or the network's description */
  readonly identity: string;
  /** null for a small network */
  readonly computing: Computing | null;
  dispose(): Promise<void>;
}

/** A stepped policy with its environments. */
export interface SteppedPolicy extends Acting {
  readonly actorCritic: ActorCritic;
  readonly texts: StepTexts<StepAction>;
  /** A new environment. Errors: `usage`. */
  environment(set: TaskSet): Steppable<unknown, StepAction>;
  /** Sampling of an evaluation's episodes and, if episodes are listed, their seeds. */
  evaluation(random: Random): Pick<EpisodeScoring<StepAction>, 'sampling' | 'seedOf'>;
}

/** A policy that answers prompts. */
export interface AnsweringPolicy extends Acting {
  readonly student: Pick<Student, 'decide' | 'gradient' | 'groups' | 'commit'>;
}

/** How to play episodes of a collection, and how to send their steps between processes. */
export interface EpisodeForm<Step> {
  /** Errors: `usage`. */
  play(episode: number): Iterable<Step>;
  /** Errors: those of the folder. */
  pack(folder: SharedFolder, step: Step): Promise<Json>;
  /** The step; `read` returns its picture by hash. */
  unpack(packed: Json, episode: number, read: ReadPicture): Step;
}

/** Bytes by hash. */
export type ReadPicture = (hash: string) => Promise<Uint8Array>;

export interface Players {
  /** Errors: those of opening a policy. */
  stepped(opening: Opening): Promise<SteppedPolicy>;
  /** Errors: those of opening a policy. */
  answering(opening: Opening): Promise<AnsweringPolicy>;
  /** `settings` as a collection stored them in its plan. Errors: `usage`. */
  episodes(settings: Json): EpisodeForm<unknown>;
}
