/** Everything that is wrong with settings, at once, each with the setting that may have been meant. */
import { nearestCommand } from '@emac/postprocess';
import type { z } from 'zod';
import { statedSettings } from './stated-settings.ts';

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
  const paths = statedSettings(schema).map((setting) => setting.path.join('.'));
  const meant = nearestCommand(path, paths)?.command;
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
