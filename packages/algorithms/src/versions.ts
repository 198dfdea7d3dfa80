/**
 * Recent versions of a policy's parameters, for playing while it learns. Update u learns from answers of the policy
 * after max(0, u − K) updates: staleness depends on K only, not on worker speed.
 */
import { EmacError, invariant, type ParameterSet } from '@emac/core';

/** Live trainable arrays; `commit` applies changes. */
export interface LiveParameters {
  readonly live: ParameterSet;
  commit(): void;
}

export interface Versions {
  /** staleness limit K, in updates */
  readonly limit: number;
  /** How many updates the policy had made that plays for an update. */
  playing(update: number): number;
  /** Its parameters after so many updates, one of the last K + 1; the live arrays if K is 0. */
  at(made: number): ParameterSet;
  /** Runs work with the policy at an earlier version, then restores the current one. */
  under<T>(made: number, done: () => Promise<T>): Promise<T>;
  /** Call after an update: stores the current version and drops unused ones. */
  keep(made: number): void;
  /** For a checkpoint: those before the last, oldest first; absent without stale answers. */
  earlier(): Pick<VersionsAt, 'earlier'>;
}

/** A moment between two updates. */
export interface VersionsAt {
  readonly state: { readonly update: number };
  /** with stale answers: earlier versions of the policy needed for those to come; oldest first */
  readonly earlier?: readonly ParameterSet[];
}

/** Those of a run at its beginning, or at its checkpoint. Errors: `data` if that has too few versions, or another policy's. */
export function versionsOf(
  { live, commit }: LiveParameters,
  { maxStaleness: limit = 0 }: { readonly maxStaleness?: number },
  { state: { update: made }, earlier = [] }: VersionsAt = { state: { update: 0 } },
): Versions {
  const playing = (update: number): number => Math.max(0, update - limit);
  if (limit > 0) requireEarlier(earlier, { live, needed: made - playing(made) });
  const kept = new Map(earlier.map((version, place) => [made - earlier.length + place, version]));
  let last = made;
  const keep = (now: number): void => {
    last = now;
    kept.set(now, limit > 0 ? copied(live) : live);
    for (const which of kept.keys()) if (which < playing(now)) kept.delete(which);
  };
  keep(made);
  const at = (which: number): ParameterSet => {
    const version = kept.get(which);
    invariant(
      version,
      `training: the parameters after ${which} updates are no longer kept after update ${last}`,
    );
    return version;
  };
  return {
    limit,
    playing,
    at,
    keep,
    under: (which, done) =>
      which === last ? done() : whileBeing({ live, commit, version: at(which) }, done),
    earlier: () =>
      limit > 0 ? { earlier: [...kept].filter(([which]) => which < last).map(([, version]) => version) } : {},
  };
}

/**
 * Updates by which the answering policy lags behind the learning one. Errors: `check-failed` for more than allowed, and
 * for a newer version.
 */
export function stalenessOf(
  { update, version }: { readonly update: number; readonly version: number },
  limit: number,
): number {
  const staleness = update - version;
  if (staleness >= 0 && staleness <= limit) return staleness;
  throw new EmacError(
    'check-failed',
    `training: update ${update} must learn from a policy at most ${limit} updates old (--max-staleness), got steps of the policy after update ${version}; start a new run`,
  );
}

function requireEarlier(
  earlier: readonly ParameterSet[],
  { live, needed }: { readonly live: ParameterSet; readonly needed: number },
): void {
  const isOfLive = (version: ParameterSet): boolean =>
    version.size === live.size &&
    [...live].every(([name, { data }]) => version.get(name)?.data.length === data.length);
  if (earlier.length === needed && earlier.every(isOfLive)) return;
  throw new EmacError(
    'data',
    `training state: the next steps need ${needed} earlier versions of the policy (--max-staleness), the checkpoint has ${earlier.filter(isOfLive).length}; resume from a checkpoint of this run`,
  );
}

function copied(parameters: ParameterSet): ParameterSet {
  return new Map([...parameters].map(([name, { shape, data }]) => [name, { shape, data: data.slice() }]));
}

async function whileBeing<T>(
  { live, commit, version }: LiveParameters & { readonly version: ParameterSet },
  done: () => Promise<T>,
): Promise<T> {
  const now = copied(live);
  const become = (parameters: ParameterSet): void => {
    for (const [name, { data }] of live) data.set(parameters.get(name)!.data);
    commit();
  };
  become(version);
  try {
    return await done();
  } finally {
    become(now);
  }
}
