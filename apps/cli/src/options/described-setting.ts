/** A setting's words, form and default, from its schema's JSON Schema. */
import { invariant } from '@emac/core';
import { z } from 'zod';
import { anyText, numberIn, oneOf, switched, wholeNumber, type Form } from './form.ts';

export interface DescribedSetting {
  readonly help: string;
  /** null for a group, a list or a union */
  readonly form: Form<unknown> | null;
  /** undefined without a default in the schema, null if another place decides */
  readonly default: unknown;
  /** other names of its flag */
  readonly aliases: readonly string[];
}

export type Json = z.core.JSONSchema.BaseSchema;

/** Looks up settings by their path, e.g. `optimization.betas.0`. A path that is not in the schema is a bug. */
export function settingsIn(schema: z.ZodType): (path: string) => DescribedSetting {
  const whole: Json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return (path) => {
    const found = path.split('.').reduce((group, name) => memberOf(group, name, path), whole);
    return {
      help: found.description ?? '',
      form: formOf(notNull(found)),
      default: found.default,
      aliases: (found['aliases'] as string[] | undefined) ?? [],
    };
  };
}

function memberOf(group: Json, name: string, path: string): Json {
  for (const { properties, prefixItems } of [group, ...(group.anyOf ?? [])]) {
    const found = properties?.[name] ?? prefixItems?.[Number(name)];
    if (typeof found === 'object') return found;
  }
  invariant(false, `settings: the schema has no ${path}`);
}

/** The type of a value that may also be null. */
export function notNull(schema: Json): Json {
  const others = schema.anyOf?.filter((each) => each.type !== 'null') ?? [];
  return others.length === 1 ? others[0]! : schema;
}

export function formOf(schema: Json): Form<unknown> | null {
  const { enum: words, minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  const type = [schema.type].flat().find((each) => each !== 'null');
  if (words) return oneOf(words.map(String));
  if (type === 'boolean') return switched(true);
  if (type === 'string') return anyText;
  if (type === 'integer') return wholeNumber(minimum ?? 0, maximum ?? Number.MAX_SAFE_INTEGER);
  return type === 'number'
    ? numberIn({
        above: exclusiveMinimum as number | undefined,
        from: minimum,
        to: maximum,
        below: exclusiveMaximum as number | undefined,
      })
    : null;
}
