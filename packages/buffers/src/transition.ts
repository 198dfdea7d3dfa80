/** A stored step of an episode: its origin, the policy's prompt, and the answers to train on. */
import type { Completion, Prompt } from '@emac/core';

/** The origin of a transition. */
export interface Origin {
  readonly taskId: string;
  /** from 0 */
  readonly round: number;
  /** number of the episode in its run, from 0 */
  readonly episode: number;
  /** number of the step in its episode, from 0 */
  readonly step: number;
}

/** The expert's answer to `prompt`. */
export interface ImitationTransition extends Origin {
  readonly prompt: Prompt;
  readonly answer: Completion;
}

/** A preference: after `prompt`, `chosen` is better than `rejected`. */
export interface PreferenceTransition extends Origin {
  readonly prompt: Prompt;
  readonly chosen: Completion;
  readonly rejected: Completion;
  /** the rejected answer was chosen at random; absent if the policy gave it */
  readonly isRandom?: boolean;
  /** the reference policy's pooled log-probabilities in nats (mean or sum, as the loss needs), computed once; null if not yet computed */
  readonly reference: {
    readonly chosen: number;
    readonly rejected: number;
    /** identifies the reference policy; null if not needed */
    readonly hash: string | null;
  } | null;
}

export type Transition = ImitationTransition | PreferenceTransition;
