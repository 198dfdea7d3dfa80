/**
 * Records without the nulls that tables put where a row lacks a field, which a template would take for values. An argument of a call stays null where
 * the schema of its tool names it and allows null.
 */
import { z } from 'zod';

/** JSON schemas of arguments, by the names of their tools. */
export type ArgumentSchemas = ReadonlyMap<string, unknown>;

export const noSchemas: ArgumentSchemas = new Map();

export function schemasOf(tools: readonly unknown[] | null): ArgumentSchemas {
  return new Map(
    (tools ?? []).map((tool) => {
      const own = field(tool, 'function') ?? tool;
      return [String(field(own, 'name')), field(own, 'parameters')];
    }),
  );
}

export function withoutNulls(value: unknown, schemas: ArgumentSchemas): unknown {
  if (Array.isArray(value)) return value.map((each) => withoutNulls(each, schemas));
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([name, each]) => each !== null || name === 'content');
  const schema = schemas.get(String(value['name']));
  return Object.fromEntries(
    kept.map(([name, each]) => [
      name,
      name === 'arguments' && schema !== undefined ? argumentsBy(each, schema) : withoutNulls(each, schemas),
    ]),
  );
}

function argumentsBy(value: unknown, schema: unknown): unknown {
  if (Array.isArray(value)) return value.map((each) => argumentsBy(each, field(schema, 'items')));
  if (!isObject(value)) return value;
  const of = (name: string) => field(field(schema, 'properties'), name);
  const kept = Object.entries(value).filter(([name, each]) => each !== null || allowsNull(of(name)));
  return Object.fromEntries(kept.map(([name, each]) => [name, argumentsBy(each, of(name))]));
}

/** Not a schema that is missing, or cannot be read. */
function allowsNull(schema: unknown): boolean {
  if (!isObject(schema)) return false;
  try {
    return z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]).safeParse(null).success;
  } catch {
    return false;
  }
}

function field(value: unknown, name: string): unknown {
  return isObject(value) ? value[name] : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
