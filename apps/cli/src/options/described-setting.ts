/** A setting's form, from its schema's JSON Schema. */
import type { z } from 'zod';
import { anyText, eitherOf, matching, numberIn, oneOf, switched, wholeNumber, type Form } from './form.ts';

export type Json = z.core.JSONSchema.BaseSchema;

/** The type of a value that may also be null. */
export function notNull(schema: Json): Json {
  const others = schema.anyOf?.filter((each) => each.type !== 'null') ?? [];
  return others.length === 1 ? others[0]! : schema;
}

export function formOf(schema: Json): Form<unknown> | null {
  const { enum: words, minimum, maximum, exclusiveMinimum, exclusiveMaximum, anyOf, pattern, title } = schema;
  if (anyOf) return eitherOf(anyOf.map(formOf));
  const type = [schema.type].flat().find((each) => each !== 'null');
  if (words) return oneOf(words.map(String));
  if (type === 'boolean') return switched(true);
  if (type === 'string' && pattern === undefined) return anyText;
  if (type === 'string') return matching(new RegExp(pattern!), title ?? 'a text');
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
