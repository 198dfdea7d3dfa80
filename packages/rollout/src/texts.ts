/**
 * The words between world and student, given as functions because they depend on the model's tokenizer and on
 * options. Acting, training and evaluation use the same ones: what is trained on is what is read when acting.
 */
import type { Frame, History } from '@emac/core';

export interface PolicyTexts {
  /** what the student reads after its visual tokens; memories are lessons about the game, oldest first */
  prompt(history: History, memories: readonly string[]): string;
  /** what the student is to say for a command */
  target(command: string): string;
  /** the command in what the student said */
  command(answer: string): string;
}

/** What a student sees of a world without pictures: one black pixel. */
export const noFrame: Frame = { width: 1, height: 1, data: new Uint8Array(3) };
