/**
 * The content of a GRPO checkpoint of a small network: parameters, earlier versions needed for attempts to come, optimizer and training
 * state. Its form is that of PPO's checkpoints, so the same commands open both.
 */
import type { GrpoCheckpoint } from '@emac/algorithms';
import type { CheckpointContent } from '@emac/runs';
import { grpoProgress } from '../lewis/grpo-checkpoint.ts';
import { namesOfEarlier } from '../models/earlier-names.ts';
import type { PpoForm } from './ppo-checkpoint.ts';
import type { WordedNetwork } from './small-policy.ts';

export interface NetworkContent extends Pick<WordedNetwork, 'content' | 'identity'> {
  readonly form: PpoForm;
}

/** The content at one moment; no clock, path or run id is in it. */
export function networkContent(
  { state, optimizer, earlier = [] }: GrpoCheckpoint,
  { content, form, identity }: NetworkContent,
): CheckpointContent {
  return {
    step: grpoProgress(state),
    ...content(),
    optimizer: new Map([...optimizer.tensors, ...namesOfEarlier(earlier)]),
    state: { v: 2, training: state, optimizer: { step: optimizer.step }, environment: form },
    manifest: { baseModel: identity, games: [] },
  };
}
