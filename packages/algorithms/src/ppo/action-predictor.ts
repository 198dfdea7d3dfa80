/** The action predictor beside a PPO policy. */
import type { Prompt, Seed, Trainable } from '@emac/core';
import type { OptimizerState } from '@emac/optim';
import type { SequenceWords } from './novelty.ts';

/** Predicts the actions of an episode from its beginning. */
export interface ActionPredictor {
  readonly policy: Trainable;
  /** Its prompt from the beginning of the episode with this seed. */
  prompt(seed: Seed): Promise<Prompt>;
  /** Tokens that may follow a prompt. */
  room(prompt: Prompt): number;
  readonly words: SequenceWords;
}

/** A predictor with its optimizer moments, null before its first update. */
export interface Predicting {
  readonly predictor: ActionPredictor;
  optimizer: OptimizerState | null;
}
