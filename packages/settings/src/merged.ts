import { EmacError } from '@emac/core';
import { z } from 'zod';
import { problemsOf } from './problems.ts';

/** `given` over `base`, group by group; a list is taken whole, and so is a choice, marked by `keep`. A group of numbers replaces items of a list. */
export function merged(base: unknown, given: unknown): unknown {
  if (Array.isArray(base) && isGroup(given)) return withItems(base, given);
  const isWhole = !isGroup(base) || !isGroup(given) || (isChoice(given) && isChoice(base));
  if (isWhole) return given === undefined ? base : given;
  const names = new Set([...Object.keys(base), ...Object.keys(given)]);
  return Object.fromEntries([...names].map((name) => [name, merged(base[name], given[name])]));
}

/** Errors: `usage` for a place that the list has not. */
function withItems(list: readonly unknown[], items: Readonly<Record<string, unknown>>): readonly unknown[] {
  const odd = Object.keys(items).find((place) => !Object.hasOwn(list, place));
  if (odd !== undefined) throw new EmacError('usage', `${odd}: has places 0 to ${list.length - 1}`);
  return list.map((item, place) => merged(item, items[place]));
}

/** Of `samples.selection`; the settings as a whole have a `keep` too. */
function isChoice({ keep, ...rest }: Readonly<Record<string, unknown>>): boolean {
  return typeof keep === 'string' && Object.keys(rest).every((name) => name === 'after');
}

function isGroup(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value as its schema has it. Errors: `config` naming every invalid setting. */
export function checked<T>(schema: z.ZodType<T>, value: unknown, place: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new EmacError('config', `${place}: ${problemsOf(schema, value).join('; ')}`);
}

/** The value at a path such as `optimization.betas.0`; undefined if absent. */
export function valueAtPath(settings: object, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>(
      (group, name) => (group as Readonly<Record<string, unknown>> | null | undefined)?.[name],
      settings,
    );
}
