/**
 * What is kept of one step of an episode: where it came from, what the student read, and what the expert said.
 * The picture's features are kept apart, once per content key.
 */

interface Origin {
  readonly gameId: string;
  /** from 0 */
  readonly round: number;
  /** number of the episode in its run, from 0 */
  readonly episode: number;
  /** number of the step in its episode, from 0 */
  readonly step: number;
  /** the prompt that the student read */
  readonly text: string;
  /** key of the features that stood before the text */
  readonly featuresKey: string;
}

/** After `text` the expert would say `target`. */
export interface ImitationTransition extends Origin {
  readonly target: string;
}

/** After `text` the expert would say `chosen`, and the student said `rejected`. */
export interface PreferenceTransition extends Origin {
  readonly chosen: string;
  readonly rejected: string;
  /** mean token log-probabilities under the reference policy, computed once */
  readonly referenceChosen?: number;
  readonly referenceRejected?: number;
  /** identifies the reference policy that gave them */
  readonly referenceHash?: string;
}

export type Transition = ImitationTransition | PreferenceTransition;
