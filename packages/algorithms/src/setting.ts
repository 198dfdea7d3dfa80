/**
 * A setting is stated once: a schema has its range, default and words, and beside them how a person gives it. Checks, flags, help, presets
 * and `config.yaml` are all made from it.
 */
import { EmacError } from '@emac/core';
import { z } from 'zod';

/** How a person gives a setting: `schema.meta(...)` keeps it. */
export interface Flag {
  /** its one name, without dashes */
  readonly flag: string;
  /** published names that mean the same */
  readonly aliases?: readonly string[];
  /** the word for null */
  readonly none?: string;
  /** words for values the schema does not accept directly */
  readonly words?: Readonly<Record<string, unknown>>;
  /** words of earlier versions, which are read and not offered */
  readonly earlier?: readonly string[];
  /** settings that get the same value, by their paths from the root */
  readonly also?: readonly string[];
  /** a switch that turns off a default, with its own help */
  readonly off?: { readonly flag: string; readonly help: string };
  /** the default in words, if neither schema nor preset decides it */
  readonly otherwise?: string;
  /** without it there is nothing to do */
  readonly isRequired?: boolean;
  /** what it needs to have an effect: names of conditions, all of which must hold, beside those of its group */
  readonly when?: string | readonly string[];
  /** the same for single values */
  readonly only?: Readonly<Record<string, string>>;
  /** its text is a path, resolved where the run began: one that exists, or any */
  readonly path?: 'existing' | 'any';
}

/** The metadata of a setting's schema. */
export const given = (flag: string, more: Omit<Flag, 'flag'> = {}): Flag & Record<string, unknown> => ({
  flag,
  ...more,
});

/** Some members of settings may be absent. */
export type Optional<T, Names extends keyof T> = Omit<T, Names> & Partial<Pick<T, Names>>;

export const whole = (least: number, most = 999_999_999) => z.number().int().min(least).max(most);
export const coefficient = z.number().min(0).max(1_000_000);
export const positive = z.number().positive().max(1_000_000);
export const share = z.number().min(0).max(1);
/** A text that says something, such as a path. */
export const text = z.string().min(1);
export const textOrNull = text.nullable().default(null);

type Json = z.core.JSONSchema.BaseSchema;

/** Throws `usage` for the first setting out of range, by its flag, with the rule and the value. */
export function checkRanges<T>(schema: z.ZodType<T>, settings: unknown): void {
  const parsed = schema.safeParse(settings);
  if (parsed.success) return;
  const { path, message } = parsed.error.issues[0]!;
  const whole: Json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  const { flag, rule } = describedAt(whole, path);
  const value = path.reduce<unknown>(
    (group, name) => (group as Record<PropertyKey, unknown>)?.[name],
    settings,
  );
  throw new EmacError(
    'usage',
    `${flag}: must be ${rule ?? message}, got ${typeof value === 'number' ? value : JSON.stringify(value)}`,
  );
}

interface Described {
  /** the setting's flag, or its path */
  readonly flag: string;
  /** null if it is more than a range */
  readonly rule: string | null;
}

/** A part of a setting has the flag of the whole. */
function describedAt(schema: Json, path: readonly PropertyKey[]): Described {
  let flag = path.join('.');
  let found: Json = schema;
  for (const name of path) {
    const next: unknown = [found, ...(found.anyOf ?? [])]
      .map(({ properties, prefixItems }) => properties?.[String(name)] ?? prefixItems?.[Number(name)])
      .find((each) => each !== undefined);
    if (typeof next !== 'object') return { flag, rule: null };
    found = next as Json;
    if (typeof found['flag'] === 'string') flag = `--${found['flag']}`;
  }
  return { flag, rule: ruleOf(found) };
}

/** The range of a number in words, as flags state it. */
function ruleOf(schema: Json): string | null {
  const { type, minimum, maximum, exclusiveMinimum, exclusiveMaximum } =
    schema.anyOf?.find((each) => each.type !== 'null') ?? schema;
  if (type !== 'integer' && type !== 'number') return null;
  const lowest = exclusiveMinimum === undefined ? `from ${minimum ?? 0}` : `above ${exclusiveMinimum}`;
  const highest = exclusiveMaximum === undefined ? `to ${maximum}` : `to below ${exclusiveMaximum}`;
  return `a ${type === 'integer' ? 'whole number' : 'number'} ${lowest} ${highest}`;
}
