/** From typed options to a configuration. */
import { EmacError } from '@emac/core';
import type { Option, OptionTable } from './option.ts';
import type { Setting } from './setting.ts';

type Group = Readonly<Record<string, unknown>>;

/** `base` with every typed setting of the table, in the table's order. Missing items of a list come from `standard`, if `base` has no such list. */
export function configured(
  table: OptionTable,
  values: Group,
  { base = {}, standard = {} }: { readonly base?: object; readonly standard?: object } = {},
): object {
  let result: unknown = base;
  for (const [name, option] of Object.entries(table))
    if (isSetting(option) && values[name] !== undefined)
      for (const path of option.paths)
        result = put(result, { path: path.split('.'), value: valueOf(option, path, values[name]), standard });
  return result as object;
}

function valueOf({ valueAt }: Setting, path: string, value: unknown): unknown {
  return valueAt ? valueAt(path, value) : value;
}

/** True for an option that belongs to the configuration, false for one of the command alone. */
export function isSetting(option: Option<unknown>): option is Setting {
  return 'paths' in option;
}

interface Placed {
  readonly path: readonly string[];
  readonly value: unknown;
  readonly standard: unknown;
}

/** A copy with a value at a path; creates missing or null groups. */
export function put(group: unknown, { path, value, standard }: Placed): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  const inner = (known: unknown): unknown =>
    put(known, { path: rest, value, standard: (standard as Group | undefined)?.[name] });
  const list = group ?? (Array.isArray(standard) ? standard : null);
  if (Array.isArray(list)) {
    const place = Number(name);
    if (!Number.isInteger(place) || place < 0 || place >= list.length)
      throw new EmacError('usage', `${name}: has places 0 to ${list.length - 1}`);
    return list.with(place, inner(list[place]));
  }
  const known = (group ?? {}) as Group;
  return { ...known, [name]: inner(known[name]) };
}
