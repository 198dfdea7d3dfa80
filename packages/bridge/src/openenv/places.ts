/**
 * The sessions of a server, and which of them gives way to a newcomer once all are taken: a client must not keep all others out. A
 * trainer between two rollouts sends nothing while it learns, so a session that is merely idle is kept from clients with as many.
 */

/** milliseconds without a message after which a session may give way to a client that would still hold fewer than its own */
const idleMs = 5 * 60_000;
/** the same, to anybody */
const abandonedMs = 30 * 60_000;

export interface Place {
  /** of its client */
  readonly address: string | null;
  /** time of its last message, in milliseconds */
  last: number;
  /** a message is being answered */
  isBusy: boolean;
  /** Ends its connection. */
  readonly leave: () => void;
}

interface Newcomer {
  readonly address: string | null;
  /** in milliseconds, as of `last` */
  readonly now: number;
}

/** Of those that may leave, one of the client that holds most, the longest waiting; else null. */
export function givingWay(places: readonly Place[], { address, now }: Newcomer): Place | null {
  const held = new Map<string | null, number>();
  for (const place of places) held.set(place.address, heldBy(held, place) + 1);
  const own = held.get(address) ?? 0;
  const mayLeave = (place: Place): boolean => {
    const [count, idle] = [heldBy(held, place), now - place.last];
    const holdsAll = own === 0 && count === places.length;
    return !place.isBusy && (holdsAll || idle >= abandonedMs || (idle >= idleMs && count > own + 1));
  };
  const [first] = places
    .filter(mayLeave)
    .sort((one, other) => heldBy(held, other) - heldBy(held, one) || one.last - other.last);
  return first ?? null;
}

function heldBy(held: ReadonlyMap<string | null, number>, { address }: Place): number {
  return held.get(address) ?? 0;
}
