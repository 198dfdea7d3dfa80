/** From options that were typed to a configuration. */
import type { Option, OptionTable } from './option.ts';
import type { Setting } from './setting.ts';

type Group = Readonly<Record<string, unknown>>;

/** `base` with every setting of the table that was typed, in the table's order. */
export function configured(base: object, table: OptionTable, values: Group): object {
  let result = base as Group;
  for (const [name, option] of Object.entries(table))
    if (isSetting(option) && values[name] !== undefined)
      for (const path of option.paths) result = put(result, path.split('.'), values[name]) as Group;
  return result;
}

/** True for an option that belongs to the configuration, false for one of the command alone. */
export function isSetting(option: Option<unknown>): option is Setting {
  return 'paths' in option;
}

/** A copy with another value at a path; a group that is not there yet, or null, is made. */
function put(group: unknown, [name, ...rest]: readonly string[], value: unknown): unknown {
  if (name === undefined) return value;
  if (Array.isArray(group)) return group.with(Number(name), put(group[Number(name)], rest, value));
  const known = (group ?? {}) as Group;
  return { ...known, [name]: put(known[name], rest, value) };
}
