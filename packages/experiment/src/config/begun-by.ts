/** Which command began a run, and goes on with it. */
import { EmacError } from '@emac/core';
import { readConfig } from '@emac/runs';

const others = ['ppo', 'grpo'] as const;

/** Of `emac sft` and `emac train` the second, whose runs they both are. Errors: `data` for a configuration that cannot be read. */
export function begunBy(folder: string): 'train' | (typeof others)[number] {
  const stored = (readConfig(folder) as { readonly command?: unknown } | null)?.command;
  return others.find((each) => each === stored) ?? 'train';
}

/** Errors: `config` for a run that another command began, naming that one. */
export function requireBegunBy(command: 'train' | (typeof others)[number], folder: string): void {
  const began = begunBy(folder);
  if (began === command) return;
  throw new EmacError(
    'config',
    `${folder}: is a run of emac ${began}; go on with npx emac ${began} --resume ${folder}`,
  );
}
