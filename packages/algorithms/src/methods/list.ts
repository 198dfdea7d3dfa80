/**
 * The methods that learn from an expert's labels or a dataset, an entry each. A method turns answers, or pairs that a
 * reference policy may judge, into gradients. The loops (`dagger`, `trainOffline`), buffers and commands read this list and
 * know no method by name.
 */
import type { Scorer, Trainable } from '@emac/core';
import type { PreferenceOptions } from '@emac/losses';
import { focalImitation } from './focal.ts';
import { imitation, type ImitationSample } from './imitation.ts';
import { kto } from './kto.ts';
import type { Method } from './method.ts';
import { preference, type JudgedPair } from './preference.ts';

/** Learns from the expert's answers, or a dataset's. */
export interface LearnsFromAnswers {
  readonly over: 'answers';
  /** in a few words, after its name */
  readonly about: string;
  learn(policy: Trainable): Method<ImitationSample>;
}

/** Learns from pairs of a better and a worse answer. */
export interface LearnsFromPairs {
  readonly over: 'pairs';
  readonly about: string;
  /** whether a reference policy judges the pairs; default true */
  readonly isJudged?: boolean;
  /** whether it also learns from a dataset's single answers with labels; default false */
  readonly takesLabels?: boolean;
  /** the settings of `preference` that have an effect; default all but those of single methods */
  readonly reads?: readonly (keyof PreferenceOptions)[];
  /** published values of them, in place of a preset's */
  readonly published?: Partial<PreferenceOptions>;
  /** `reference`: the policy that judges; null for a method without one */
  learn(policy: Trainable, options: PreferenceOptions, reference: Scorer | null): Method<JudgedPair>;
}

export type LabelMethod = LearnsFromAnswers | LearnsFromPairs;

const common = ['beta', 'mixRatio'] as const;
const onMeans = { averageLogProbabilities: true, referenceFree: true, labelSmoothing: 0 } as const;

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
    reads: [...common, 'loss', 'labelSmoothing', 'referenceFree', 'averageLogProbabilities'],
    learn: preference,
  },
  kto: {
    over: 'pairs',
    about: 'the better answer counts as desirable, the worse as undesirable, each by itself (KTO)',
    takesLabels: true,
    reads: [...common, 'desirableWeight', 'undesirableWeight'],
    // section 4.2 and TRL: sums of log-probabilities, β 0.1, both weights 1
    published: { beta: 0.1, mixRatio: 0, averageLogProbabilities: false },
    learn: kto,
  },
  simpo: {
    over: 'pairs',
    about: 'preference learning without a reference policy, by mean log-probabilities and a margin (SimPO)',
    isJudged: false,
    reads: [...common, 'targetMargin'],
    published: { beta: 2, targetMargin: 1, mixRatio: 0 }, // section 3.1 and appendix: β 2, γ/β 0.5
    learn: (policy, options) => preference(policy, { ...options, ...onMeans, loss: 'simpo' }),
  },
  orpo: {
    over: 'pairs',
    about:
      'imitation of the better answer and its odds over the worse one, without a reference policy (ORPO)',
    isJudged: false,
    reads: common,
    published: { beta: 0.1, mixRatio: 1 }, // equation 6, with λ 0.1
    learn: (policy, options) => preference(policy, { ...options, ...onMeans, loss: 'orpo' }),
  },
} satisfies Record<string, LabelMethod>;

/** The name of a method, also of a run's phase. */
export type Phase = keyof typeof methods;

export const phases = Object.keys(methods) as [Phase, ...Phase[]];

export function labelMethod(phase: Phase): LabelMethod {
  return methods[phase];
}

/** True if samples are pairs: such a method needs steps where policy and expert differ. */
export function learnsPairs(phase: Phase): boolean {
  return labelMethod(phase).over === 'pairs';
}

/** True if a reference policy judges the samples. */
export function isJudged(phase: Phase): boolean {
  const method = labelMethod(phase);
  return method.over === 'pairs' && (method.isJudged ?? true);
}

/** True if a dataset's single answers with labels may take the place of pairs. */
export function takesLabels(phase: Phase): boolean {
  const method = labelMethod(phase);
  return method.over === 'pairs' && (method.takesLabels ?? false);
}

/** The methods that learn from pairs and read a setting of `preference`. */
export function methodsReading(setting: keyof PreferenceOptions): Phase[] {
  return phases.filter((phase) => {
    const method = labelMethod(phase);
    return method.over === 'pairs' && (method.reads?.includes(setting) ?? true);
  });
}
