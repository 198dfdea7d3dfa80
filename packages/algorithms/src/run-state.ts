/** What the states of all methods have in common: each belongs to one run, and a run stops between two of them. */
import { EmacError } from '@emac/core';

/**
 * A copy to resume from. Errors: `data` if it differs from `owner`, as that of another seed, method or version does, or
 * lacks one of `fields`.
 */
export function resumedState<State extends object>(
  stored: State,
  owner: Partial<State>,
  fields: readonly string[] = [],
): State {
  for (const name of Object.keys(owner) as (keyof State & string)[])
    if (stored[name] !== owner[name])
      throw new EmacError(
        'data',
        `training state: ${name === 'v' ? 'version' : name} must be ${String(owner[name])}, got ${String(stored[name])}; resume a checkpoint of this run, or start a new run`,
      );
  const missing = fields.find((name) => !(name in stored));
  if (missing !== undefined) throw new EmacError('data', `training state: has no ${missing}`);
  return structuredClone(stored);
}

/** Restores the choice of tasks in a resumed run. Errors: `data` if only one of run and checkpoint has a choice. */
export function restoreChoice(
  choice: { restore(state: unknown): void } | undefined,
  state: { readonly choice?: unknown },
): void {
  if ('choice' in state !== (choice !== undefined)) {
    const [before, now] = choice ? ['not chosen', 'chosen'] : ['chosen', 'not chosen'];
    throw new EmacError(
      'data',
      `training state: its tasks were ${before} by earlier results, the run's are ${now}; resume with the settings of that run`,
    );
  }
  choice?.restore(state.choice);
}

/** Throws `interrupted` once the signal has fired. */
export function stopIfAsked({ signal }: { readonly signal?: AbortSignal | undefined }): void {
  if (signal?.aborted)
    throw new EmacError('interrupted', 'training: stopped on request, resume from the last checkpoint');
}
