/**
 * A policy and a critic trained together by reinforcement learning: a policy with log-probabilities of its answers, and values of
 * prompts. Both are evaluated in one call, and differentiated in one call, so networks that share work do it once. A method (PPO) is a
 * policy loss, a value loss, and a way to choose rows; it knows no network.
 */
import type { Loss, ValueLoss } from './loss.ts';
import type { Answer, Policy, Question, Sampling } from './policy.ts';
import type { Prompt } from './prompt.ts';
import type { GradientRow, ParameterGroup } from './trainable.ts';

/**
 * A prompt and its answer; both losses read its constants. If those of the value loss are lists, one number per token, it has
 * a term for the value before each token of the answer; else one for the prompt's value.
 */
export interface ActorCriticRow extends GradientRow {
  /** weight of a term in the value loss, as `weight` in the policy's; rows of weight 0 have no term in the policy loss */
  readonly valueWeight: number;
}

export interface ActorCriticLosses {
  /** null if the policy is not trained: then it is not differentiated */
  readonly policy: Loss | null;
  readonly value: ValueLoss;
}

export interface ActorCriticGradient {
  /** Σ weight · term of the policy loss; 0 if it is not trained */
  readonly policyLoss: number;
  /** Σ valueWeight · term */
  readonly valueLoss: number;
  /** gradients of the sum of both losses, by name: in the critic's parameters, and in the policy's where a loss reaches them */
  readonly gradients: ReadonlyMap<string, Float32Array>;
  /**
   * per row, the log-probabilities read by the policy loss, as in `Gradient`; may be empty for rows of weight 0, and if
   * the policy is not trained
   */
  readonly logProbabilities: readonly (readonly number[])[];
  /** of each prompt, or before each token of its answer, row by row */
  readonly values: Float32Array;
}

/** Answers, and the values of their prompts. */
export interface Acted {
  readonly answers: readonly Answer[];
  readonly values: Float32Array;
}

export interface ActorCritic extends Policy {
  /** the arrays are live; call `commit` after changes */
  readonly groups: {
    readonly policy: readonly ParameterGroup[];
    readonly value: readonly ParameterGroup[];
  };
  /** As `decide`, plus the value of each prompt. Errors: as `decide`. */
  act(questions: readonly Question[], sampling: Sampling): Promise<Acted>;
  /**
   * The values of prompts; with `answers`, one per prompt, the values before each of their tokens, row by row: the first of
   * each is its prompt's. Errors: `data` if a prompt has too many tokens.
   */
  values(prompts: readonly Prompt[], answers?: readonly (readonly number[])[]): Promise<Float32Array>;
  /** The gradient of the sum of both losses. Errors: `internal` if a row lacks a constant that a loss reads. */
  gradient(rows: readonly ActorCriticRow[], losses: ActorCriticLosses): Promise<ActorCriticGradient>;
  /** Declares that parameters were changed in place. */
  commit(): void;
}
