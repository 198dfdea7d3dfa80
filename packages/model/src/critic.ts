/**
 * A value function over prompts: a value head on the policy's hidden states. The gradient stops either at the head or in
 * the policy's parameters; then the language model also learns from the value loss.
 */
import type { ParameterGroup, Prompt } from '@emac/core';
import type { Answers, PromptStates } from './prompt-states.ts';
import type { ValueHead } from './value-head.ts';

export interface CriticOptions {
  readonly policy: PromptStates;
  readonly head: ValueHead;
  /** `head`: the policy's parameters get no gradient, and only the head is differentiated; `policy`: they do */
  readonly learns: 'head' | 'policy';
}

/** A term of a value loss, and its derivative. */
export interface ValueTerm {
  readonly loss: number;
  readonly slope: number;
}

export interface CriticGradient {
  /** Σ loss over all values */
  readonly loss: number;
  /** as `Critic.values` */
  readonly values: Float32Array;
  /** of the parameters in its groups by name and, if trained, of the policy's */
  readonly gradients: ReadonlyMap<string, Float32Array>;
}

export interface Critic {
  /** parameters trained by the value loss alone: the head's, and those of a separate adapter; the policy's are in its own groups */
  readonly groups: readonly ParameterGroup[];
  /**
   * The values of prompts; with `answers`, one per prompt, those before each of their tokens, row by row. Errors: `data` if
   * a prompt has too many tokens.
   */
  values(prompts: readonly Prompt[], answers?: Answers): Promise<Float32Array>;
  /** The gradient of Σ term, a function of each value and its place. Errors: as `values`. */
  gradient(
    prompts: readonly Prompt[],
    term: (value: number, place: number) => ValueTerm,
    answers?: Answers,
  ): Promise<CriticGradient>;
  /** Declares that parameters of its groups were changed in place. */
  commit(): void;
}

/** A critic on a policy's states; the caller disposes of policy and head. */
export function critic({ policy, head, learns }: CriticOptions): Critic {
  return {
    groups: [head.group],
    values: async (prompts, answers) => head.forward(await policy.states(prompts, answers)),
    gradient: async (prompts, term, answers) => {
      const states = await policy.states(prompts, answers);
      const values = await head.forward(states);
      const terms = Array.from(values, term);
      const ofHead = await head.backward(
        states,
        Float32Array.from(terms, ({ slope }) => slope),
      );
      const ofPolicy =
        learns === 'policy' ? await policy.stateGradients(prompts, ofHead.states, answers) : [];
      return {
        loss: terms.reduce((sum, { loss }) => sum + loss, 0),
        values,
        gradients: new Map([...ofHead.gradients, ...ofPolicy]),
      };
    },
    // a head reads its current parameters in each run
    commit: () => undefined,
  };
}
