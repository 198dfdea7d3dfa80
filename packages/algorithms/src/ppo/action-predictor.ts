/** Who predicts the actions of an episode, as a run of PPO has it beside its policy. */
import type { Prompt, Seed, Trainable } from '@emac/core';
import type { OptimizerState } from '@emac/optim';
import type { SequenceWords } from './novelty.ts';

/** Predicts what is done in an episode from how it begins. */
export interface ActionPredictor {
  readonly policy: Trainable;
  /** What it reads of the beginning of the episode with this seed. */
  prompt(seed: Seed): Promise<Prompt>;
  /** Tokens that may follow a prompt. */
  room(prompt: Prompt): number;
  readonly words: SequenceWords;
}

/** A predictor with the moments of its optimizer, which are null until it has learned. */
export interface Predicting {
  readonly predictor: ActionPredictor;
  optimizer: OptimizerState | null;
}
