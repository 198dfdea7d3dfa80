/** An environment with numbered actions whose steps an expert labels in words: a file, or a person who is shown the picture. */
import type { Expert, Label, Task, Turn } from '@emac/core';
import type { ScriptedPlayer } from '@emac/opening';
import { labelled } from '@emac/rollout';

export interface AskedInWords {
  /** The action of the label; null without one. */
  label(): Promise<number | null>;
  /** Hears the action that is taken, before it is. */
  acts(action: number): void;
}

/** Asks about the episode that has just begun; `hear` gets every label. Errors: those of the expert. */
export function askedInWords(
  expert: Expert,
  { environment, offered }: Pick<ScriptedPlayer, 'environment' | 'offered'>,
  { hear, ...task }: Task & { readonly hear?: ((label: Label) => void) | undefined },
): AskedInWords {
  const initial = environment.text();
  const turns: Turn[] = [];
  const named = new Map(offered.map((action) => [environment.actions[action]!, action]));
  let command: string | null = null;
  return {
    async label() {
      const text = environment.text();
      if (command !== null) turns.push({ command, observation: text });
      const admissible = [...named.keys()];
      const observation = { text, frames: [environment.frame()], admissible };
      const request = { task, history: { initial, turns: [...turns] }, memories: [], admissible };
      const label = await expert.label(request, { observation, choice: Promise.resolve(null) });
      hear?.(label);
      return named.get(labelled(label) ?? '') ?? null;
    },
    acts(action) {
      command = environment.actions[action]!;
    },
  };
}
