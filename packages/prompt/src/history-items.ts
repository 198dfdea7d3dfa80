/**
 * An episode as the published code stores it (ReAct's `EnvironmentHistory`): a list of items, each an action, an
 * observation or a human edit. `History` of @emac/core has the first two; an edit stands where a person put it.
 */
import type { History } from '@emac/core';

export interface HistoryItem {
  readonly label: 'action' | 'observation' | 'human_edit';
  readonly value: string;
}

/** The items of an episode in order; an unanswered command is `pending`. */
export function itemsOf(history: History, pending?: string): readonly HistoryItem[] {
  const items = history.turns.flatMap(({ command, observation }): HistoryItem[] => [
    { label: 'action', value: command },
    { label: 'observation', value: observation },
  ]);
  return pending === undefined ? items : [...items, { label: 'action', value: pending }];
}

/** An item's text in the published prompts. */
export function itemText({ label, value }: HistoryItem): string {
  if (label === 'action') return `> ${value}`;
  return label === 'human_edit' ? `[human edit]: ${value}` : value;
}
