/**
 * A value function over prompts: a value head on the policy's own hidden states. Where the gradient stops is a choice: at
 * the head, or in the policy's parameters, through the language model, which then learns of the values too.
 */
import type { ParameterGroup, Prompt } from '@emac/core';
import type { PromptStates } from './prompt-states.ts';
import type { ValueHead } from './value-head.ts';

export interface CriticOptions {
  readonly policy: PromptStates;
  readonly head: ValueHead;
  /** `head`: the policy's parameters get no gradient, and nothing is differentiated but the head; `policy`: they do */
  readonly learns: 'head' | 'policy';
}

/** A term of a loss of values, and its derivative. */
export interface ValueTerm {
  readonly loss: number;
  readonly slope: number;
}

export interface CriticGradient {
  /** Σ loss over all prompts */
  readonly loss: number;
  /** of every prompt */
  readonly values: Float32Array;
  /** of the parameters in its groups by name and, where they learn, of the policy's */
  readonly gradients: ReadonlyMap<string, Float32Array>;
}

export interface Critic {
  /** what the values alone train: the head's parameters, and those of an adapter of their own; the policy's are in its own groups */
  readonly groups: readonly ParameterGroup[];
  /** What each prompt is worth. Errors: `data` where a prompt has too many tokens. */
  values(prompts: readonly Prompt[]): Promise<Float32Array>;
  /** The gradient of Σ term, a function of each prompt's value and place. Errors: as `values`. */
  gradient(
    prompts: readonly Prompt[],
    term: (value: number, place: number) => ValueTerm,
  ): Promise<CriticGradient>;
  /** Says that parameters of its groups were changed in place. */
  commit(): void;
}

/** The critic of a policy whose states the head reads; disposing of both is the caller's. */
export function critic({ policy, head, learns }: CriticOptions): Critic {
  return {
    groups: [head.group],
    values: async (prompts) => head.forward(await policy.states(prompts)),
    gradient: async (prompts, term) => {
      const states = await policy.states(prompts);
      const values = await head.forward(states);
      const terms = Array.from(values, term);
      const ofHead = await head.backward(
        states,
        Float32Array.from(terms, ({ slope }) => slope),
      );
      const ofPolicy = learns === 'policy' ? await policy.stateGradients(prompts, ofHead.states) : [];
      return {
        loss: terms.reduce((sum, { loss }) => sum + loss, 0),
        values,
        gradients: new Map([...ofHead.gradients, ...ofPolicy]),
      };
    },
    // a head is fed its parameters as they are
    commit: () => undefined,
  };
}
