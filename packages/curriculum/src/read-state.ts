/** Validates states from checkpoints. */
import { EmacError } from '@emac/core';
import { z } from 'zod';
import type { BestReturnState } from './best-return.ts';
import type { CurriculumState } from './curriculum.ts';

const curriculumSchema = z
  .object({
    tasks: z.array(z.string()).min(1),
    ema: z.array(z.number().min(0).max(1)),
    counts: z.array(z.number().int().min(0)),
  })
  .refine(({ tasks, ema, counts }) => ema.length === tasks.length && counts.length === tasks.length, {
    message: 'tasks, ema and counts must have equal lengths',
  })
  .refine(({ tasks }) => new Set(tasks).size === tasks.length, { message: 'tasks must be different' });

const whole = z.number().int().min(0);
const bestReturnSchema = z
  .object({
    ema: z.number(),
    best: z.number(),
    updates: whole.min(1),
    bestUpdate: whole.min(1),
  })
  .refine(({ updates, bestUpdate }) => bestUpdate <= updates, {
    message: 'the best update must not come after the last one',
  })
  .nullable();

/** A result of a curriculum's `state()`. Errors: `data`. */
export function readCurriculum(value: unknown): CurriculumState {
  return checked(curriculumSchema, value, 'curriculum');
}

/** A result of `withReturn`, or null before the first. Errors: `data`. */
export function readBestReturn(value: unknown): BestReturnState | null {
  return checked(bestReturnSchema, value, 'best return');
}

function checked<T>(schema: z.ZodType<T>, value: unknown, what: string): T {
  const found = schema.safeParse(value);
  if (found.success) return found.data;
  const [issue] = found.error.issues;
  throw new EmacError(
    'data',
    `${what}: the state is not readable: ${issue!.path.join('.') || 'all of it'}: ${issue!.message}`,
  );
}
