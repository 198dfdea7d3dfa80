/** The sessions of a server, and which of them gives way to a newcomer once all are taken: a client must not keep all others out. */

/** milliseconds without a message after which a session may give way to anybody, as a silent connection ends */
const idleMs = 300_000;

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

/** The one that has waited longest, if it is idle or its client has all and the newcomer is another; else null. */
export function givingWay(places: readonly Place[], { address, now }: Newcomer): Place | null {
  const [longest] = places.filter(({ isBusy }) => !isBusy).sort((one, other) => one.last - other.last);
  if (!longest) return null;
  const holdsAll = places.every((place) => place.address === longest.address) && longest.address !== address;
  return holdsAll || now - longest.last >= idleMs ? longest : null;
}
