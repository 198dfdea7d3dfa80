/** Named mixtures: datasets and their weights. */
import { EmacError, repeated } from '@emac/core';
import { z } from 'zod';

export interface MixtureEntry {
  /** the name of a dataset */
  readonly dataset: string;
  /** share of its steps, relative to the others of the mixture */
  readonly weight: number;
}

export type Mixtures = ReadonlyMap<string, readonly MixtureEntry[]>;

const mixturesSchema = z.record(
  z.string().min(1),
  z.array(z.tuple([z.string().min(1), z.number().positive()])).min(1),
);

/** Reads `{"name": [["dataset", weight], …], …}`. Errors: `data` naming mixture and rule; `place` starts the message. */
export function readMixtures(json: unknown, place: string): Mixtures {
  const parsed = mixturesSchema.safeParse(json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const field = issue?.path.join('.') || 'mixtures';
    throw new EmacError(
      'data',
      `${place}: ${field}: ${issue?.message}; it must be {"name": [["dataset", weight above 0], …]}`,
    );
  }
  return new Map(
    Object.entries(parsed.data).map(([name, entries]) => {
      const datasets = entries.map(([dataset]) => dataset);
      const twice = repeated(datasets);
      if (twice !== undefined)
        throw new EmacError(
          'data',
          `${place}: ${name}: must name each dataset once, got ${twice} twice; add its weights`,
        );
      return [name, entries.map(([dataset, weight]) => ({ dataset, weight }))];
    }),
  );
}

/** A mixture by its name. Errors: `usage` naming the known ones. */
export function mixtureNamed(mixtures: Mixtures, name: string): readonly MixtureEntry[] {
  const mixture = mixtures.get(name);
  if (mixture) return mixture;
  throw new EmacError('usage', `mixture: must be one of ${[...mixtures.keys()].join(', ')}, got ${name}`);
}
