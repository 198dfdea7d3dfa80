/**
 * The policy that learns: frozen networks and a trainable projection. Shapes: Nq query tokens of width Dq
 * come from the Q-Former; the projection maps them to the language model's width D.
 */
import type { Frame } from './world.ts';

/** Q-Former output for one frame: `data` [Nq, Dq] float32, rounded once to what is stored (float16). */
export interface Features {
  readonly data: Float32Array;
  /** identifies frame, Q-Former text and base model: equal keys mean equal data */
  readonly key: string;
}

/** One imitation sample: after `features` and `text` (the prompt), the expert would say `target`. */
export interface ImitationRow {
  readonly features: Features;
  readonly text: string;
  readonly target: string;
  /**
   * weight of each of this row's tokens in the loss Σ −weight · log p; behaviour cloning's token mean over a
   * micro-batch of n label tokens is weight 1/n
   */
  readonly weight: number;
}

/** One preference pair with the reference policy's log-probabilities, means or sums as the options of the loss say. */
export interface PreferenceRow {
  readonly features: Features;
  readonly text: string;
  readonly chosen: string;
  readonly rejected: string;
  readonly referenceChosen: number;
  readonly referenceRejected: number;
  /** weight of this pair in the loss Σ weight · loss_i */
  readonly weight: number;
}

/** Log-probability of one target: summed over its tokens, and how many there are (end token included). */
export interface SequenceLogProbability {
  readonly sum: number;
  readonly tokens: number;
}

/** `sigmoid` is DPO's own loss; `ipo` and `hinge` replace its log-sigmoid. */
export type PreferenceLossName = 'sigmoid' | 'ipo' | 'hinge';

export interface PreferenceOptions {
  /** inverse temperature β of the implicit reward */
  readonly beta: number;
  /** weight of −log π(chosen) beside the preference loss */
  readonly mixRatio: number;
  /** default `sigmoid` */
  readonly loss?: PreferenceLossName;
  /** `sigmoid`: probability ε < ½ that chosen and rejected were exchanged; default 0 */
  readonly labelSmoothing?: number;
  /** the loss treats the reference as uniform; default false */
  readonly referenceFree?: boolean;
  /** a target's log-probability is the mean over its tokens, not their sum; default true */
  readonly averageLogProbabilities?: boolean;
}

export interface ImitationGradient {
  /** Σ over rows and tokens of −weight · log p */
  readonly loss: number;
  readonly gradients: ReadonlyMap<string, Float32Array>;
}

export interface PreferenceGradient {
  /** Σ weight · loss_i */
  readonly loss: number;
  /** log-probabilities under the policy, one per row: token means, or sums where the options ask for them */
  readonly chosen: Float32Array;
  readonly rejected: Float32Array;
  readonly gradients: ReadonlyMap<string, Float32Array>;
}

export interface Student {
  /** identity of the frozen networks; recorded in checkpoints and checked */
  readonly modelIdentity: string;
  features(frame: Frame): Promise<Features>;
  /**
   * the model's answer to a prompt, without special tokens, as generated (not post-processed); with `allowed`, one of
   * these texts
   */
  act(text: string, features: Features, allowed?: readonly string[]): Promise<string>;
  /** number of label tokens of a target, end token included */
  countTargetTokens(target: string): number;
  /** number of tokens of a prompt text as the language model will read it, begin token included */
  countTextTokens(text: string): number;
  logProbabilities(
    rows: readonly { features: Features; text: string; target: string }[],
  ): Promise<SequenceLogProbability[]>;
  imitationGradient(rows: readonly ImitationRow[]): Promise<ImitationGradient>;
  preferenceGradient(rows: readonly PreferenceRow[], options: PreferenceOptions): Promise<PreferenceGradient>;
  /** trainable tensors by name (`language_projection.weight` …); the arrays are live, `commit` makes changes count */
  parameters(): ReadonlyMap<string, { readonly shape: readonly number[]; readonly data: Float32Array }>;
  /** tells the student that `parameters()` were changed in place */
  commit(): void;
  dispose(): Promise<void>;
}
