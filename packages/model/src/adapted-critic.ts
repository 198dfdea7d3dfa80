/**
 * A critic with its own adapter, as in a public fork of VLA-RL (arXiv 2505.18719), where the value model is a second copy of the language model under LoRA.
 * Here it shares the policy's frozen weights and sessions, and reads pictures through the policy's current projection. The value loss alone trains the adapter
 * and the head, and does not reach the policy. Departure: the fork's head reads the mean of all states, this one the last state, as in RL4VLM.
 */
import { adapterOf, type Adapter, type AdapterSettings } from '@emac/backbone';
import type { ParameterSet } from '@emac/core';
import { critic, type Critic } from './critic.ts';
import type { AdapterLearner } from './second-adapter.ts';
import type { ValueHead } from './value-head.ts';

export interface AdaptedCriticParts {
  /** a second adapter of the policy's model, trained only by the value loss */
  readonly learner: AdapterLearner;
  readonly head: ValueHead;
}

/** The adapter's tensors have the same names as the policy's. */
const prefix = 'value_adapter.';

/** The critic; its adapter uses the head's learning rate. The caller disposes of the head. */
export function adaptedCritic({ learner, head }: AdaptedCriticParts): Critic {
  const own = critic({ policy: learner, head, learns: 'policy' });
  const { parameters } = learner.adapter;
  const { learningRateScale } = head.group;
  return {
    ...own,
    groups: [head.group, { name: 'value adapter', parameters: prefixed(parameters), learningRateScale }],
    gradient: async (prompts, term, answers) => {
      const { gradients, ...found } = await own.gradient(prompts, term, answers);
      const ofHead = [...gradients].filter(([name]) => !parameters.has(name));
      const ofAdapter = [...gradients].filter(([name]) => parameters.has(name));
      return { ...found, gradients: new Map([...ofHead, ...prefixed(ofAdapter)]) };
    },
    commit: () => learner.commit(),
  };
}

/** A critic's adapter tensors, under their names in its groups; empty without an adapter. The arrays are shared. */
export function valueAdapterTensors({ groups }: Pick<Critic, 'groups'>): ParameterSet {
  return new Map(
    groups.flatMap(({ parameters }) => [...parameters].filter(([name]) => name.startsWith(prefix))),
  );
}

/** The adapter with these tensors, named as in `valueAdapterTensors`. Errors: `data` if they are not an adapter. */
export function valueAdapterOf(tensors: ParameterSet, settings: Omit<AdapterSettings, 'targets'>): Adapter {
  const own = [...tensors].map(([name, tensor]) => [name.replace(prefix, ''), tensor] as const);
  return adapterOf(new Map(own), settings, 'value adapter');
}

function prefixed<T>(named: Iterable<readonly [string, T]>): Map<string, T> {
  return new Map([...named].map(([name, each]) => [`${prefix}${name}`, each]));
}
