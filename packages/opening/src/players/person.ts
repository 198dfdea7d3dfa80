/** Somebody who plays as the policy `human`. */
import type { Frame } from '@emac/core';

/** What a person is shown before a step. */
export interface ShownStep {
  readonly task: string;
  /** the first in its episode */
  readonly isFirst: boolean;
  readonly text: string;
  readonly frames: readonly Frame[];
  /** the actions to choose from; null: any text */
  readonly admissible: readonly string[] | null;
}

export interface Person {
  /** Shows a step and returns the typed action; null once nothing more is typed. */
  ask(shown: ShownStep): Promise<string | null>;
  /** Says why an action was not taken. */
  tell(sentence: string): void;
}
