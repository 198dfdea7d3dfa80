/**
 * What learns by reinforcement: a policy that says with what probability it answered, and values of prompts. Both are asked at once, and
 * differentiated at once, so that networks which share work do it once. A method (PPO) is a loss of the one, a loss of the
 * other, and a way to choose rows; it knows no network.
 */
import type { Loss, ValueLoss } from './loss.ts';
import type { Answer, Policy, Question, Sampling } from './policy.ts';
import type { Prompt } from './prompt.ts';
import type { GradientRow, ParameterGroup } from './trainable.ts';

/** A prompt and the answer to it; its constants are read by both losses. */
export interface ActorCriticRow extends GradientRow {
  /** of this prompt's term in the loss of values, as `weight` in the policy's; rows of weight 0 are in no term of the policy's loss */
  readonly valueWeight: number;
}

export interface ActorCriticLosses {
  /** null where the policy does not learn: then it is not differentiated */
  readonly policy: Loss | null;
  readonly value: ValueLoss;
}

export interface ActorCriticGradient {
  /** Σ weight · term of the policy's loss; 0 where it does not learn */
  readonly policyLoss: number;
  /** Σ valueWeight · term */
  readonly valueLoss: number;
  /** of the sum of both, by name: of the values' parameters, and of the policy's where either loss reaches them */
  readonly gradients: ReadonlyMap<string, Float32Array>;
  /** what the policy's loss read of each row, as `Gradient` has it; may be empty for rows of weight 0, and is where the policy does not learn */
  readonly logProbabilities: readonly (readonly number[])[];
  /** of every prompt */
  readonly values: Float32Array;
}

/** Answers, and what their prompts are worth. */
export interface Acted {
  readonly answers: readonly Answer[];
  readonly values: Float32Array;
}

export interface ActorCritic extends Policy {
  /** the arrays are live, `commit` makes changes count */
  readonly groups: {
    readonly policy: readonly ParameterGroup[];
    readonly value: readonly ParameterGroup[];
  };
  /** As `decide`, and with each answer the value of its prompt. Errors: as `decide`. */
  act(questions: readonly Question[], sampling: Sampling): Promise<Acted>;
  /** What each prompt is worth. Errors: `data` where a prompt has too many tokens. */
  values(prompts: readonly Prompt[]): Promise<Float32Array>;
  /** The gradient of both losses together. Errors: `internal` where a row lacks what a loss reads. */
  gradient(rows: readonly ActorCriticRow[], losses: ActorCriticLosses): Promise<ActorCriticGradient>;
  /** Says that parameters were changed in place. */
  commit(): void;
}
