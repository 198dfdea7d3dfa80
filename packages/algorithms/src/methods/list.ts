/**
 * The methods that learn from an expert's labels or a dataset, a line each. A method turns answers, or pairs judged by
 * a reference policy, into gradients. The loops (`dagger`, `trainOffline`), buffers and commands read this list and
 * know no method by name.
 */
import type { Trainable } from '@emac/core';
import type { PreferenceOptions } from '@emac/losses';
import { focalImitation } from './focal.ts';
import { imitation, type ImitationSample } from './imitation.ts';
import type { Method } from './method.ts';
import { preference, type JudgedPair } from './preference.ts';

/** Learns from the expert's answers, or a dataset's. */
export interface LearnsFromAnswers {
  readonly over: 'answers';
  /** in a few words, after its name */
  readonly about: string;
  learn(policy: Trainable): Method<ImitationSample>;
}

/** Learns from pairs of a better and a worse answer, judged by a reference policy. */
export interface LearnsFromPairs {
  readonly over: 'pairs';
  readonly about: string;
  learn(policy: Trainable, options: PreferenceOptions): Method<JudgedPair>;
}

export type LabelMethod = LearnsFromAnswers | LearnsFromPairs;

const methods = {
  bc: {
    over: 'answers',
    about: 'behaviour cloning of an expert that labels every step (DAgger)',
    learn: (policy) => imitation(policy),
  },
  'focal-bc': {
    over: 'answers',
    about: 'behaviour cloning in which what the policy knows already weighs little (focal loss)',
    learn: focalImitation,
  },
  dpo: {
    over: 'pairs',
    about: "preference learning: the expert's action over the policy's own (DPO)",
    learn: preference,
  },
} satisfies Record<string, LabelMethod>;

/** The name of a method, also of a run's phase. */
export type Phase = keyof typeof methods;

export const phases = Object.keys(methods) as [Phase, ...Phase[]];

export function labelMethod(phase: Phase): LabelMethod {
  return methods[phase];
}

/** True if samples are pairs: such a method needs a reference policy, and steps where policy and expert differ. */
export function learnsPairs(phase: Phase): boolean {
  return labelMethod(phase).over === 'pairs';
}
