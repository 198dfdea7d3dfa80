/** A machine that lacks something, or differs from the run's, is no fault of the job. */
import { EmacError } from '@emac/core';

/** Errors: `config` for a fault of the machine; others unchanged. */
export async function asConfig<T>(open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (thrown) {
    if (
      !(thrown instanceof EmacError) ||
      !['missing', 'data', 'usage', 'unavailable', 'config'].includes(thrown.code)
    )
      throw thrown;
    throw new EmacError('config', `worker: cannot play for this run: ${thrown.message}`, { cause: thrown });
  }
}

/** Errors: `config`. */
export function requireEqual(name: string, wanted: string, own: string): void {
  if (wanted !== own)
    throw new EmacError('config', `${name} is ${own} here and ${wanted} on the trainer; make them equal`);
}
