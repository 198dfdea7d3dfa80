/** Which command began a run: the method that it is of. */
import { readConfig } from '@emac/runs';

const others = ['ppo', 'grpo'] as const;

/** Of `emac sft` and `emac train` the second, whose runs they both are. Errors: `data` for a configuration that cannot be read. */
export function begunBy(folder: string): 'train' | (typeof others)[number] {
  const stored = (readConfig(folder) as { readonly command?: unknown } | null)?.command;
  return others.find((each) => each === stored) ?? 'train';
}
