/** Refused requests in the record of actions: whoever asks without end must not fill the disk. */

/** in a minute */
const most = 30;
const minute = 60_000;

/**
 * Whether a refusal at this time is recorded. The first one after some were left out says how many. `null`: it is left out.
 */
export function refusalLimit(): (now: number) => { readonly leftOut?: number } | null {
  let [begin, count, leftOut] = [-Infinity, 0, 0];
  return (now) => {
    if (now - begin >= minute || now < begin) [begin, count] = [now, 0];
    if (++count > most) return (leftOut++, null);
    const said = leftOut > 0 ? { leftOut } : {};
    leftOut = 0;
    return said;
  };
}
