/**
 * What a policy was after its last updates, for steps that are played while it goes on learning. An update u learns from steps of the policy that
 * had made max(0, u − K) updates: what is played with depends on K alone, not on who was how fast.
 */
import { EmacError, invariant, parametersOf, type ActorCritic, type ParameterSet } from '@emac/core';

export interface Versions {
  /** updates that a policy may be older than the one that learns from its steps: K */
  readonly limit: number;
  /** How many updates the policy had made that plays the steps of an update. */
  playing(update: number): number;
  /** What it was after so many updates, one of the last K + 1; where K is 0 the live arrays. */
  at(made: number): ParameterSet;
  /** It has made so many updates: what it is now is kept, what nobody plays with any more is not. */
  keep(made: number): void;
  /** Those before the last, oldest first. */
  earlier(): readonly ParameterSet[];
}

export interface VersionsAt {
  readonly limit: number;
  /** updates made so far */
  readonly made: number;
  /** as `earlier` gave them there */
  readonly earlier: readonly ParameterSet[];
}

/** Errors: `data` where earlier ones are fewer than steps to come need, or of another policy. */
export function versionsOf(
  { groups: { policy, value } }: Pick<ActorCritic, 'groups'>,
  { limit, made, earlier }: VersionsAt,
): Versions {
  const live = parametersOf({ groups: [...policy, ...value] });
  const playing = (update: number): number => Math.max(0, update - limit);
  if (limit === 0) return { limit, playing, at: () => live, keep: () => {}, earlier: () => [] };
  requireEarlier(earlier, { live, needed: made - playing(made) });
  const kept = new Map(earlier.map((version, place) => [made - earlier.length + place, version]));
  kept.set(made, copied(live));
  let last = made;
  return {
    limit,
    playing,
    at: (which) => {
      const version = kept.get(which);
      invariant(version, `PPO: the policy after ${which} updates is not kept after ${last}`);
      return version;
    },
    keep: (now) => {
      last = now;
      kept.set(now, copied(live));
      for (const which of kept.keys()) if (which < playing(now)) kept.delete(which);
    },
    earlier: () => [...kept].filter(([which]) => which < last).map(([, version]) => version),
  };
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
    `training state: steps to come are of ${needed} earlier versions of this policy (--max-staleness), the checkpoint has ${earlier.filter(isOfLive).length} of them; go on from a checkpoint of this run`,
  );
}

function copied(parameters: ParameterSet): ParameterSet {
  return new Map([...parameters].map(([name, { shape, data }]) => [name, { shape, data: data.slice() }]));
}

/** What is done while the policy is as it was after so many updates; then it is again what it is. */
export async function underVersion<T>(
  actorCritic: Pick<ActorCritic, 'groups' | 'commit'>,
  version: ParameterSet,
  done: () => Promise<T>,
): Promise<T> {
  const { policy, value } = actorCritic.groups;
  const live = parametersOf({ groups: [...policy, ...value] });
  const now = copied(live);
  const become = (parameters: ParameterSet): void => {
    for (const [name, { data }] of live) data.set(parameters.get(name)!.data);
    actorCritic.commit();
  };
  become(version);
  try {
    return await done();
  } finally {
    become(now);
  }
}
