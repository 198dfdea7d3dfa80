/** Feeds common to every run of a small network. */
import type { ParameterSet, Prompt } from '@emac/core';
import type { Feeds, Value } from '@emac/graph';
import type { Architecture } from './architecture.ts';

/** The live arrays as feeds. */
export function fedParameters(parameters: Readonly<Record<'policy' | 'value', ParameterSet>>): Feeds {
  const all = [...parameters.policy, ...parameters.value];
  return Object.fromEntries(
    all.map(([name, { shape, data }]): [string, Value] => [name, { type: 'float32', shape, data }]),
  );
}

/** `x` and each row's `coldness`. */
export function inputFeeds(
  { input, read }: Architecture,
  prompts: readonly Prompt[],
  coldness: (row: number) => number,
): Feeds {
  const cold = Float32Array.from(prompts, (_, row) => coldness(row));
  return {
    x: { type: 'float32', shape: [prompts.length, ...input], data: read(prompts) },
    coldness: { type: 'float32', shape: [prompts.length, 1], data: cold },
  };
}
