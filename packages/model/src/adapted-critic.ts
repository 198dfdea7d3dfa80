/**
 * A critic with an adapter of its own, as in a public fork of VLA-RL (arXiv 2505.18719), whose value model is a second copy of the language model under LoRA: here the
 * frozen weights are the policy's, in the same sessions, and pictures come through the policy's projection as it is at each moment. The value loss
 * alone trains the adapter and the head, and reaches nothing of the policy. Departure: the fork's head reads the mean of all states, this one the last, as RL4VLM's.
 */
import { adapterOf, type Adapter, type AdapterSettings } from '@emac/backbone';
import type { ParameterSet } from '@emac/core';
import { critic, type Critic } from './critic.ts';
import type { AdapterLearner } from './second-adapter.ts';
import type { ValueHead } from './value-head.ts';

export interface AdaptedCriticParts {
  /** a second adapter of the policy's model, which nothing else trains */
  readonly learner: AdapterLearner;
  readonly head: ValueHead;
}

/** The adapter's own names are those of the policy's. */
const prefix = 'value_adapter.';

/** The critic; its adapter has the head's learning rate. Disposing of the head is the caller's. */
export function adaptedCritic({ learner, head }: AdaptedCriticParts): Critic {
  const own = critic({ policy: learner, head, learns: 'policy' });
  const { parameters } = learner.adapter;
  const { learningRateScale } = head.group;
  return {
    ...own,
    groups: [head.group, { name: 'value adapter', parameters: prefixed(parameters), learningRateScale }],
    gradient: async (prompts, term) => {
      const { gradients, ...found } = await own.gradient(prompts, term);
      const ofHead = [...gradients].filter(([name]) => !parameters.has(name));
      const ofAdapter = [...gradients].filter(([name]) => parameters.has(name));
      return { ...found, gradients: new Map([...ofHead, ...prefixed(ofAdapter)]) };
    },
    commit: () => learner.commit(),
  };
}

/** Of a critic's tensors, by the names in its groups, those of its adapter; empty for a critic without one. The arrays are the same. */
export function valueAdapterTensors({ groups }: Pick<Critic, 'groups'>): ParameterSet {
  return new Map(
    groups.flatMap(({ parameters }) => [...parameters].filter(([name]) => name.startsWith(prefix))),
  );
}

/** The adapter that has these tensors, as `valueAdapterTensors` names them. Errors: `data` for what is no adapter. */
export function valueAdapterOf(tensors: ParameterSet, settings: Omit<AdapterSettings, 'targets'>): Adapter {
  const own = [...tensors].map(([name, tensor]) => [name.replace(prefix, ''), tensor] as const);
  return adapterOf(new Map(own), settings, 'value adapter');
}

function prefixed<T>(named: Iterable<readonly [string, T]>): Map<string, T> {
  return new Map([...named].map(([name, each]) => [`${prefix}${name}`, each]));
}
