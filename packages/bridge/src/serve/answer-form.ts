/** What an answer must be, from a request: JSON by a schema (`response_format`), or a call of a tool (`tool_choice`). */
import type { AnswerConstraint } from '@emac/core';
import { z } from 'zod';
import type { GivenTools } from './chat-tools.ts';
import { wrongField } from './refused-request.ts';

type Schema = Extract<AnswerConstraint, { kind: 'json' }>['schema'];

const mostCharacters = 65_536;

const schema = z
  .record(z.string(), z.unknown())
  .refine((given) => JSON.stringify(given).length <= mostCharacters, {
    error: `may have ${mostCharacters} characters`,
  });

export const responseFormat = z
  .discriminatedUnion(
    'type',
    [
      z.object({ type: z.literal('text') }),
      z.object({ type: z.literal('json_object') }),
      z.object({
        type: z.literal('json_schema'),
        json_schema: z.object({
          name: z.string(),
          description: z.string().nullish(),
          schema: schema.nullish(),
          strict: z.boolean().nullish(),
        }),
      }),
    ],
    { error: 'must be text, json_object or json_schema' },
  )
  .nullish();

/** Null for any text. Throws a `RefusedRequest` for a format beside a call that is required. */
export function formIn(
  format: z.infer<typeof responseFormat>,
  { asked, forced }: GivenTools,
): AnswerConstraint | null {
  const isText = !format || format.type === 'text';
  if (forced) {
    if (isText) return { kind: 'call', tools: forced };
    throw wrongField(
      'response_format',
      'response_format: an answer must be a call by tool_choice; leave it out',
    );
  }
  if (isText) return null;
  const calls = asked.length > 0 && { orCalls: asked };
  if (format.type === 'json_object') return { kind: 'json', schema: null, isStrict: false, ...calls };
  const { schema: given, strict } = format.json_schema;
  return { kind: 'json', schema: (given ?? null) as Schema, isStrict: strict ?? false, ...calls };
}
