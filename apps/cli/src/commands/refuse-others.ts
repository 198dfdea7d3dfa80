/** A run that goes on has its own settings. */
import { EmacError } from '@emac/core';

/** Errors: `usage` where any of these flags was typed, or other words. */
export function refuseOthers(
  flags: readonly string[],
  values: Readonly<Record<string, unknown>>,
  words: readonly string[],
): void {
  const [other] = [...flags.filter((name) => values[name] != null).map((name) => `--${name}`), ...words];
  if (other !== undefined)
    throw new EmacError('usage', `${other}: a run goes on with its own settings, give --resume alone`);
}
