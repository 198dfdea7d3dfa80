/** A run resumed with other versions would end with a different result. */
import { EmacError } from '@emac/core';

type Versions = Readonly<Record<string, string>>;

/** Of these no difference is allowed. */
const contents = new Set(['model', 'games', 'eval-on', 'data', 'val', 'utilities']);

/**
 * Checks that a resumed run has its original versions; `allowDrift` accepts other code and backends, but no other model
 * or games. Errors: `data`, `config`.
 */
export function requireSameVersions(
  run: string,
  { before, now }: { readonly before: Versions; readonly now: Versions },
  allowDrift: boolean,
): void {
  const differing = Object.keys(now).filter((name) => what(before[name]) !== what(now[name]));
  const said = (names: readonly string[]) =>
    names.map((name) => `${name} ${shown(now[name])} instead of ${shown(before[name])}`).join(', ');
  const content = differing.filter((name) => contents.has(name));
  if (content.length > 0)
    throw new EmacError(
      'data',
      `${run}: resuming needs the same content as run.json names, got ${said(content)}; put it back`,
    );
  if (differing.length > 0 && !allowDrift)
    throw new EmacError(
      'config',
      `${run}: would give other results than an uninterrupted run: ${said(differing)}; put that back, or give --allow-drift`,
    );
}

/** Why better backends are not in use does not matter. */
function what(value = 'nothing'): string {
  return value.split('; ')[0]!;
}

/** The first digits of a hash. */
function shown(value: string | undefined): string {
  return what(value).replace(/^([0-9a-f]{12})[0-9a-f]{52}$/, '$1');
}
