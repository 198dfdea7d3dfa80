/** A policy as groups of attempts train it, whatever it is made of. */
import {
  checkpointContent,
  expectedPolicy,
  grpoProgress,
  storedSizes,
  type OpenedPolicy,
} from '@emac/opening';
import type { KeptBeside, TrainedPolicy } from './group-play.ts';

export interface Described extends Pick<TrainedPolicy, 'reference'> {
  /** its given name */
  readonly name: string;
  /** what its checkpoints hold beside it, its form too where that names paths */
  readonly beside: (kept: KeptBeside) => object;
}

export function trainedPolicy(policy: OpenedPolicy, { name, reference, beside }: Described): TrainedPolicy {
  const { identity, adapter, note, model, learner } = policy;
  return {
    identity,
    adapter,
    note,
    reference,
    get expected() {
      return expectedPolicy({ name, identity, model, sizes: storedSizes(policy, learner), reader: learner });
    },
    content: ({ state, optimizer: { step, tensors }, earlier }, kept) =>
      checkpointContent(policy, {
        step: grpoProgress(state),
        state,
        optimizer: { tensors, steps: { step } },
        earlier,
        beside: beside(kept),
      }),
  };
}
