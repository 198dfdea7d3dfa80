/** Calls made from schemas. */
import type { AskedTool, Fact } from '@emac/core';
import { Random } from '@emac/core';
import { z } from 'zod';
import { expect, it } from 'vitest';
import { randomCall, shortestCall } from './schema-calls.ts';

const tool = (properties: { readonly [name: string]: Fact }): AskedTool => ({
  type: 'function',
  function: {
    name: 'do',
    description: '',
    parameters: { type: 'object', properties, required: Object.keys(properties) },
  },
});

it.each<[{ readonly [name: string]: Fact }, string]>([
  [{}, '{}'],
  [{ a: { type: 'string' }, b: { type: 'boolean' } }, '{"a":"","b":true}'],
  [{ a: { enum: ['three', 'two', 4] } }, '{"a":4}'],
  [{ a: { type: 'integer', minimum: 9, maximum: 11 } }, '{"a":9}'],
  [{ a: { type: 'array', items: { type: 'string' } } }, '{"a":[]}'],
  [{ a: { type: 'array', items: { const: 'x' }, minItems: 1 } }, '{"a":["x"]}'],
  [{ a: { anyOf: [{ type: 'boolean' }, { type: 'number' }] } }, '{"a":0}'],
])('the shortest call of %j', (properties, shortest) => {
  expect(shortestCall(tool(properties))).toBe(`{"name":"do","arguments":${shortest}}`);
});

it('a random call keeps to the schema, and takes texts from what was seen', () => {
  const asked = tool({
    path: { type: 'string' },
    count: { type: 'integer', minimum: 2, maximum: 4 },
    more: { type: 'object', properties: { on: { type: 'boolean' } }, required: ['on'] },
    some: { type: 'array', items: { enum: ['x', 'y'] } },
  });
  const schema = z.fromJSONSchema(asked.function.parameters as Parameters<typeof z.fromJSONSchema>[0]);
  const calls = Array.from({ length: 30 }, (_, seed) =>
    JSON.parse(randomCall([asked], 'Read (a.txt), please.', Random.fromSeed(seed))),
  ) as { readonly name: string; readonly arguments: { readonly path: string; readonly count: number } }[];
  for (const { arguments: given } of calls) expect(schema.safeParse(given).error).toBe(undefined);
  expect(new Set(calls.map(({ arguments: { path } }) => path))).toEqual(new Set(['Read', 'a.txt', 'please']));
  expect(new Set(calls.map(({ arguments: { count } }) => count))).toEqual(new Set([2, 3, 4]));
});
