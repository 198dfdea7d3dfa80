/** Somebody who plays as the policy `human`. */
import type { Frame, History } from '@emac/core';

/** What a person is shown before a step, or to label one. */
export interface ShownStep {
  readonly task: string;
  /** the first in its episode */
  readonly isFirst: boolean;
  readonly text: string;
  readonly frames: readonly Frame[];
  /** the actions to choose from; null: any text */
  readonly admissible: readonly string[] | null;
  /** what was done before; absent: the person has seen it */
  readonly history?: History;
  /** the action of the policy that the person corrects, once it is known; absent: there is none */
  readonly choice?: Promise<string | null>;
}

export interface Person {
  /** Shows a step and returns the typed action; null once nothing more is typed. */
  ask(shown: ShownStep): Promise<string | null>;
  /** Says why an action was not taken. */
  tell(sentence: string): void;
}

/** Asks until the answer is one of the actions; null once nothing more is typed. */
export async function saidBy(person: Person, shown: ShownStep): Promise<string | null> {
  const { admissible } = shown;
  for (;;) {
    const typed = await person.ask(shown);
    if (typed === null) return null;
    const action = typed.trim();
    if (action !== '' && (admissible?.includes(action) ?? true)) return action;
    person.tell(`"${action}" is none of the actions: ${(admissible ?? []).join(', ')}`);
  }
}
