/** Faults of custom code, in one sentence each. */
import { EmacError, LostEpisode, messageOf } from '@emac/core';
import { NoAnswer } from './module-thread.ts';

/** Errors: `ModuleFault` for everything that the code throws. */
export function guarded<T>(path: string, where: string, work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    throw threw(path, where, thrown);
  }
}

/** The same for asynchronous code. Errors: also `LostEpisode` where it says so. */
export async function guardedAsync(path: string, where: string, work: () => unknown): Promise<unknown> {
  try {
    return await work();
  } catch (thrown) {
    throw threw(path, where, thrown);
  }
}

function threw(path: string, where: string, thrown: unknown): EmacError {
  if (thrown instanceof LostEpisode) return thrown;
  if (thrown instanceof NoAnswer) return refused(path, thrown.message);
  return new ModuleFault(`--env ${path}: ${where} threw: ${messageOf(thrown)}`, { cause: thrown });
}

/** Custom code is wrong: it can be fixed, and the run resumed. */
export class ModuleFault extends EmacError {
  constructor(message: string, options?: { readonly cause: unknown }) {
    super('data', message, options);
  }
}

/** A module's fault, in a sentence. */
export function refused(path: string, rule: string): ModuleFault {
  return new ModuleFault(`--env ${path}: ${rule}`);
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

export function isFunction(
  value: unknown,
): value is (this: unknown, ...given: readonly unknown[]) => unknown {
  return typeof value === 'function';
}
