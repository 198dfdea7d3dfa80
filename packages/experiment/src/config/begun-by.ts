/** Which command began a run, and goes on with it. */
import { EmacError } from '@emac/core';
import { readConfig } from '@emac/runs';

const others = ['ppo', 'grpo'] as const;

/** Errors: `config` for a run that another command began, naming that one. */
export function requireBegunBy(command: 'train' | (typeof others)[number], folder: string): void {
  const stored = (readConfig(folder) as { readonly command?: unknown } | null)?.command;
  const began = others.find((each) => each === stored) ?? 'train';
  if (began === command) return;
  throw new EmacError(
    'config',
    `${folder}: is a run of emac ${began}; go on with npx emac ${began} --resume ${folder}`,
  );
}
