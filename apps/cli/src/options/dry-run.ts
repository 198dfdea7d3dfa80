/** `--dry-run`, for every long command. */
import { EmacError } from '@emac/core';
import { toggle } from './option.ts';

export const dryRunOption = {
  'dry-run': toggle(
    'open and check everything, show what the model reads, and estimate time, memory and disk; writes nothing and calls no paid service',
  ),
};

/** Errors: `usage` beside `--resume`. */
export function refuseDryResume(isDry: boolean, resume: string | null): void {
  if (isDry && resume !== null)
    throw new EmacError('usage', '--dry-run: is for a new run; give its settings in place of --resume');
}
