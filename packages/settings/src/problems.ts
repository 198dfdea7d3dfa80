/** Everything that is wrong with settings, at once, each with the setting that may have been meant. */
import { nearestCommand } from '@emac/postprocess';
import { z } from 'zod';

/** Paths of all settings of a schema, as `optimization.learningRate`; groups are not among them. */
function settingPaths(schema: z.ZodType): string[] {
  const whole = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return [...new Set(leavesOf(whole, []))];
}

type Json = z.core.JSONSchema.BaseSchema;

function leavesOf({ properties, anyOf }: Json, path: readonly string[]): string[] {
  const groups = [properties, ...(anyOf ?? []).map((each) => each.properties)].filter(
    (each) => each !== undefined,
  );
  if (groups.length === 0) return [path.join('.')];
  return groups.flatMap((group) =>
    Object.entries(group).flatMap(([name, member]) =>
      typeof member === 'object' ? leavesOf(member, [...path, name]) : [],
    ),
  );
}

/** One sentence per fault of a value; none if it fits the schema. */
export function problemsOf(schema: z.ZodType, value: unknown): string[] {
  const parsed = schema.safeParse(value);
  if (parsed.success) return [];
  return parsed.error.issues.flatMap((issue) => {
    const path = issue.path.join('.');
    if (issue.code !== 'unrecognized_keys')
      return [`${path || 'it'}: ${issue.message}${gotAt(value, issue.path)}`];
    return issue.keys.map((key) => unknown([...issue.path, key].join('.'), schema));
  });
}

function unknown(path: string, schema: z.ZodType): string {
  const meant = nearestCommand(path, settingPaths(schema))?.command;
  return `${path}: is not a setting${meant === undefined ? '' : `; did you mean ${meant}?`}`;
}

/** The actual value, if short. */
function gotAt(value: unknown, path: readonly PropertyKey[]): string {
  const got = path.reduce<unknown>(
    (group, name) => (group as Record<PropertyKey, unknown> | undefined)?.[name],
    value,
  );
  return got === undefined || typeof got === 'object' ? '' : `, got ${JSON.stringify(got)}`;
}
