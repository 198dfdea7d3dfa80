/**
 * An episode as the published code keeps it (ReAct's `EnvironmentHistory`): a list of items, each an action, an
 * observation or a human edit. Of the three, `History` of @emac/core holds the first two; an edit stands where a
 * person put it.
 */
import type { History } from '@emac/core';

export interface HistoryItem {
  readonly label: 'action' | 'observation' | 'human_edit';
  readonly value: string;
}

/** The items of an episode in order; a command that was given but not yet answered is `pending`. */
export function itemsOf(history: History, pending?: string): readonly HistoryItem[] {
  const items = history.turns.flatMap(({ command, observation }): HistoryItem[] => [
    { label: 'action', value: command },
    { label: 'observation', value: observation },
  ]);
  return pending === undefined ? items : [...items, { label: 'action', value: pending }];
}

/** An item as the published prompts show it. */
export function itemText({ label, value }: HistoryItem): string {
  if (label === 'action') return `> ${value}`;
  return label === 'human_edit' ? `[human edit]: ${value}` : value;
}

/** True once two actions in a row were the same, thoughts included; observations between them do not count. */
export function repeatsAction(items: readonly HistoryItem[]): boolean {
  const actions = items.filter(({ label }) => label === 'action');
  return actions.some(({ value }, place) => place > 0 && value === actions[place - 1]!.value);
}
