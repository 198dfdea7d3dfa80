/**
 * What is kept of one step of an episode: where it came from, what the policy read, and the answers to learn from.
 */
import type { Completion, Prompt } from '@emac/core';

/** Where a transition came from. */
export interface Origin {
  readonly taskId: string;
  /** from 0 */
  readonly round: number;
  /** number of the episode in its run, from 0 */
  readonly episode: number;
  /** number of the step in its episode, from 0 */
  readonly step: number;
}

/** After `prompt` the expert would say `answer`. */
export interface ImitationTransition extends Origin {
  readonly prompt: Prompt;
  readonly answer: Completion;
}

/** After `prompt`, `chosen` is a better answer than `rejected`. */
export interface PreferenceTransition extends Origin {
  readonly prompt: Prompt;
  readonly chosen: Completion;
  readonly rejected: Completion;
  /** the policy did not say what is rejected: it was drawn; absent where the policy did */
  readonly isRandom?: boolean;
  /** the reference policy's pooled log-probabilities in nats (mean or sum, as the loss asks), computed once; null where not judged */
  readonly reference: {
    readonly chosen: number;
    readonly rejected: number;
    /** identifies the reference policy; null where nobody asks */
    readonly hash: string | null;
  } | null;
}

export type Transition = ImitationTransition | PreferenceTransition;
