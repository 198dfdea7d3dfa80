/** Finds the command that started a run, by its method. */
import { readConfig } from '@emac/runs';

const others = ['ppo', 'grpo'] as const;

/** Runs of `emac train --method sft` count as `emac train`. Errors: `data` for an unreadable configuration. */
export function begunBy(folder: string): 'train' | (typeof others)[number] {
  const stored = (readConfig(folder) as { readonly command?: unknown } | null)?.command;
  return others.find((each) => each === stored) ?? 'train';
}
