/**
 * What methods hand to a worker: how each opens what acts for it, by what the plan of its run says. A worker knows what is done with that, acting and
 * differentiating, and no method.
 */
import type { ActorCritic, Random, Steppable, TaskSet } from '@emac/core';
import type { Student } from '@emac/model';
import type { Computing, Host, StepAction } from '@emac/opening';
import type { Json, SharedFolder } from '@emac/queue';
import type { EpisodeScoring, StepTexts } from '@emac/rollout';

/** What is opened, and where. */
export interface Opening {
  /** as the plan has it */
  readonly config: PlannedConfig;
  /** a folder whose parameters the policy takes; null for none */
  readonly from: string | null;
  /** where this machine has the model; null for where the run says */
  readonly model: string | null;
  readonly host: Pick<Host, 'env' | 'now' | 'signal' | 'environment'>;
}

/** Of a method, as JSON: a worker itself reads what is played. */
export interface PlannedConfig {
  readonly env: string;
}

/** A policy that is open. */
export interface Acting {
  /** of the frozen networks, or what the network is made of */
  readonly identity: string;
  /** null for a small network */
  readonly computing: Computing | null;
  dispose(): Promise<void>;
}

/** One that is stepped, with what it is stepped in. */
export interface SteppedPolicy extends Acting {
  readonly actorCritic: ActorCritic;
  readonly texts: StepTexts<StepAction>;
  /** A new environment. Errors: `usage`. */
  environment(set: TaskSet): Steppable<unknown, StepAction>;
  /** How episodes of an evaluation are answered and, where they are listed, where each begins. */
  evaluation(random: Random): Pick<EpisodeScoring<StepAction>, 'sampling' | 'seedOf'>;
}

/** One that answers prompts. */
export interface AnsweringPolicy extends Acting {
  readonly student: Pick<Student, 'decide' | 'gradient' | 'groups' | 'commit'>;
}

/** How episodes that are collected are played, and how their steps go from process to process. */
export interface EpisodeForm<Step> {
  /** Errors: `usage`. */
  play(episode: number): Iterable<Step>;
  /** Errors: those of the folder. */
  pack(folder: SharedFolder, step: Step): Promise<Json>;
  /** The step; its picture is what `read` gives for a hash. */
  unpack(packed: Json, episode: number, read: ReadPicture): Step;
}

/** The bytes of a hash. */
export type ReadPicture = (hash: string) => Promise<Uint8Array>;

export interface Players {
  /** Errors: those of opening a policy. */
  stepped(opening: Opening): Promise<SteppedPolicy>;
  /** Errors: those of opening a policy. */
  answering(opening: Opening): Promise<AnsweringPolicy>;
  /** `settings` as a collection has put them into its plan. Errors: `usage`. */
  episodes(settings: Json): EpisodeForm<unknown>;
}
