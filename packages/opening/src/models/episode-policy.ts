/** A policy that is asked for an action in words at every step of an episode, whatever it is made of. */
import type { EpisodeMoment, OpenedKind, Speech } from '@emac/core';
import type { LanguagePolicy } from './language-policy.ts';
import type { OpenedPolicy } from './opened-policy.ts';
import type { PolicyForm } from './policy-form.ts';
import { parallelOf } from './student.ts';

export interface EpisodePolicy extends OpenedPolicy {
  readonly texts: Speech;
  readonly form: Pick<PolicyForm, 'text' | 'generation' | 'maxSteps' | 'admissibleOnly'>;
  /** episodes under way at once, unless asked otherwise */
  readonly together: number;
  /** names a state for comparing steps, where the environment does not */
  readonly anchor?: (moment: EpisodeMoment) => string;
  /** the same policy; null for a small network */
  readonly language: LanguagePolicy | null;
}

/** A language model in an environment, in the form it was opened with. */
export function inEpisodes(policy: LanguagePolicy, { speech }: Pick<OpenedKind, 'speech'>): EpisodePolicy {
  const { student, form } = policy;
  return { ...policy, texts: speech(student, form.text), together: parallelOf(student), language: policy };
}
