/**
 * How a projection was used when it was trained: it goes into every checkpoint, so that a checkpoint folder copied
 * elsewhere evaluates as it is.
 */
import { EmacError } from '@emac/core';
import { z } from 'zod';
import { speechDefaults, type SpeechValues } from './model-options.ts';

const count = z.number().int().positive();

const policySchema = z.object({
  projection: z.object({ kind: z.enum(['linear', 'mlp']), hidden: count.nullable() }),
  generation: z.object({ beams: count, minLength: count, maxLength: count }),
  /** `thoughts`: the student learnt to think, and a thought of its is answered */
  text: z.object({ maxTokens: count, thoughts: z.boolean().default(false) }),
  maxSteps: count,
  /** where the projection came with a norm for the vision model's end: the tensors lie beside the projection's */
  visionNorm: z.object({ epsilon: z.number().positive() }).nullable().default(null),
});

export type Policy = z.infer<typeof policySchema>;
export type Speech = Pick<Policy, 'generation' | 'text'>;

/** The policy in a checkpoint's state; `data` where it is damaged. */
export function readPolicy(state: Readonly<Record<string, unknown>>, place: string): Policy {
  const parsed = policySchema.safeParse(state['policy']);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  throw new EmacError(
    'data',
    `${place}: its state.json has no usable policy (${issue?.path.join('.')}: ${issue?.message})`,
  );
}

/** What was given, else what a checkpoint was made with, else the defaults. Errors: `usage`. */
export function speechOf(given: SpeechValues, policy: Policy | null): Speech {
  const made = policy?.generation;
  const minLength = given['min-length'] ?? made?.minLength ?? speechDefaults['min-length'];
  const maxLength = given['max-length'] ?? made?.maxLength ?? speechDefaults['max-length'];
  if (minLength > maxLength)
    throw new EmacError(
      'usage',
      `--min-length: must not be over --max-length, got ${minLength} and ${maxLength}`,
    );
  return {
    generation: { beams: given.beams ?? made?.beams ?? speechDefaults.beams, minLength, maxLength },
    text: {
      maxTokens: given['max-text-tokens'] ?? policy?.text.maxTokens ?? speechDefaults['max-text-tokens'],
      thoughts: policy?.text.thoughts ?? false,
    },
  };
}
