/** `dataset_statistics.json`: the statistics of data sets by name, and the name for a suite of LIBERO. */
import { EmacError } from '@emac/core';
import { z } from 'zod';
import type { DatasetStatistics } from './dataset-statistics.ts';

const numbers = z.array(z.number()).min(1);
const columns = { mean: numbers, std: numbers, max: numbers, min: numbers, q01: numbers, q99: numbers };

const statisticsSchema = z
  .object({ ...columns, mask: z.array(z.boolean()).optional() })
  .superRefine((statistics, context) => {
    const dimensions = statistics.mean.length;
    for (const [name, values] of Object.entries(statistics))
      if (values !== undefined && values.length !== dimensions)
        context.addIssue({
          code: 'custom',
          path: [name],
          message: `needs ${dimensions} entries as mean has, got ${values.length}`,
        });
  });

const fileSchema = z.record(
  z.string(),
  z.object({
    action: statisticsSchema,
    proprio: statisticsSchema.optional(),
    num_transitions: z.number().int().min(0),
    num_trajectories: z.number().int().min(0),
  }),
);

/** The statistics of all data sets in a file's text. Errors: `data`, naming the entry. */
export function readStatistics(text: string): Readonly<Record<string, DatasetStatistics>> {
  const found = fileSchema.safeParse(parsed(text));
  if (found.success) return found.data as Record<string, DatasetStatistics>;
  const [issue] = found.error.issues;
  throw new EmacError(
    'data',
    `dataset statistics: ${issue!.path.join('.') || 'the file'}: ${issue!.message}; the file is one of OpenVLA's dataset_statistics.json`,
  );
}

/** The text of the published file: two blanks per level, a line break at the end. */
export function writeStatistics(statistics: Readonly<Record<string, DatasetStatistics>>): string {
  return `${JSON.stringify(statistics, null, 2)}\n`;
}

/** The key of a suite's statistics: the suite, else the suite with `_no_noops`, the name for data without idle steps. Errors: `missing`. */
export function statisticsKey(suite: string, statistics: Readonly<Record<string, unknown>>): string {
  const found = [suite, `${suite}_no_noops`].find((key) => Object.hasOwn(statistics, key));
  if (found !== undefined) return found;
  const names = Object.keys(statistics).join(', ') || 'nothing';
  throw new EmacError(
    'missing',
    `dataset statistics: must have ${suite} or ${suite}_no_noops, got ${names}; give one of them`,
  );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    throw new EmacError('data', 'dataset statistics: the file is not JSON', { cause: thrown });
  }
}
