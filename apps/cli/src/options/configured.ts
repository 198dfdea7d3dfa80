/** From typed options to a configuration. */
import type { Option, OptionTable } from './option.ts';
import type { Setting } from './setting.ts';

type Group = Readonly<Record<string, unknown>>;

/** `base` with every typed setting of the table, in the table's order. An item of a list stands under its place, in a group. */
export function configured(table: OptionTable, values: Group, base: object = {}): object {
  return Object.entries(table).reduce((settings, [name, option]) => {
    const value = values[name];
    if (!isSetting(option) || value === undefined) return settings;
    const { paths, valueAt = (_path: string, whole: unknown) => whole } = option;
    return paths.reduce((group, path) => put(group, path.split('.'), valueAt(path, value)), settings);
  }, base);
}

/** True for an option that belongs to the configuration, false for one of the command alone. */
export function isSetting(option: Option<unknown>): option is Setting {
  return 'paths' in option;
}

/** A copy with a value at a path; creates missing or null groups. */
export function put(group: object | null, [name, ...rest]: readonly string[], value: unknown): object {
  const known = (group ?? {}) as Group;
  const inner = known[name!] as object | null | undefined;
  return { ...known, [name!]: rest.length === 0 ? value : put(inner ?? null, rest, value) };
}
