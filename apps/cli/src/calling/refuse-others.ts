/** A resumed run keeps its own settings. */
import { EmacError } from '@emac/core';

/** Errors: `usage` for any of these flags, or further words. */
export function refuseOthers(
  flags: readonly string[],
  values: Readonly<Record<string, unknown>>,
  words: readonly string[],
): void {
  const [other] = [...flags.filter((name) => values[name] != null).map((name) => `--${name}`), ...words];
  if (other !== undefined)
    throw new EmacError('usage', `${other}: a run resumes with its own settings; give --resume alone`);
}
