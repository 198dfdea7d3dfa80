/**
 * OpenEnv's protocol as its server speaks it (PyPI's openenv 0.10): messages on a WebSocket, and the fields of actions,
 * observations and state for environments of this repository.
 */
import { z } from 'zod';

/** What went wrong, in the protocol's words. */
export type ErrorCode =
  | 'INVALID_JSON'
  | 'UNKNOWN_TYPE'
  | 'VALIDATION_ERROR'
  | 'EXECUTION_ERROR'
  | 'CAPACITY_REACHED'
  | 'SESSION_ERROR';

/** A fault that the client is told. */
export class OpenEnvError extends Error {
  override readonly name = 'OpenEnvError';
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** Its names of the sets of tasks. */
export const splitNames = ['train', 'test'] as const;

export type SplitName = (typeof splitNames)[number];

const seed = z.number().int().min(0).max(Number.MAX_SAFE_INTEGER);

/** Anything for people or programs that the environment does not read. */
const extras = z.record(z.string(), z.unknown());

export const resetSchema = z.strictObject({
  seed: seed.nullish().describe('of the chances of the episode; without an index also chooses the task'),
  episode_id: z.string().max(255).nullish().describe('name of the episode, shown in the state'),
  split: z.enum(splitNames).nullish().describe('set of tasks; train without it'),
  index: seed.nullish().describe('number of a task in its split, from 0'),
});

export const actionSchema = z.strictObject({
  action: z.string().max(100_000).describe('in words, such as one of the admissible actions'),
  metadata: extras.optional().describe('not read'),
});

const numbers = z.unknown().describe('numbers in nested lists, an axis a level');

export const observationSchema = z.strictObject({
  text: z.string().describe('in words; may be empty'),
  admissible: z
    .array(z.string())
    .nullable()
    .describe('every action that the environment accepts now; null if unknown'),
  pictures: z.array(
    z.string().meta({ contentEncoding: 'base64', contentMediaType: 'image/png' }).describe('a PNG in base64'),
  ),
  arrays: z.record(z.string(), numbers).describe('numbers by name; empty if there are none'),
  reward: z.number().nullable().describe('as on the envelope; null after a reset'),
  done: z.boolean().describe('as on the envelope'),
  metadata: extras.describe(
    'task, split, index, seed, step, max_steps, won, truncated, and the facts of the step',
  ),
});

export const stateSchema = z.strictObject({
  episode_id: z.string().nullable(),
  step_count: z.number().int().min(0).describe('actions of the episode so far'),
  task: z.string().nullable().describe('id of the task; null before the first reset'),
  split: z.enum(splitNames).nullable(),
  index: z.number().int().min(0).nullable().describe('number of the task in its split'),
  seed: seed.nullable().describe('as given at the reset'),
  max_steps: z.number().int().min(1).describe('steps after which an episode is cut off'),
  done: z.boolean(),
});

export const envelopeSchema = z.strictObject({
  observation: observationSchema,
  reward: z.number().nullable(),
  done: z.boolean(),
  metadata: extras,
});

export type ResetData = z.infer<typeof resetSchema>;
export type ActionData = z.infer<typeof actionSchema>;
export type ObservationData = z.infer<typeof observationSchema>;
export type EnvelopeData = z.infer<typeof envelopeSchema>;
export type StateData = z.infer<typeof stateSchema>;

/** A checked value. Errors: `VALIDATION_ERROR`, with the field and its rule. */
export function checked<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const place = [what, ...issue!.path.map(String)].join('.');
  throw new OpenEnvError(
    'VALIDATION_ERROR',
    `${place}: ${issue!.message.slice(0, 300)}${knownFields(schema)}`,
  );
}

function knownFields(schema: z.ZodType): string {
  return schema instanceof z.ZodObject ? `; its fields are ${Object.keys(schema.shape).join(', ')}` : '';
}
