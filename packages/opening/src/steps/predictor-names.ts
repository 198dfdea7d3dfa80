/** Names of a predictor's tensors in checkpoints: its own are those of the policy's adapter. */
import type { ParameterSet } from '@emac/core';

const prefix = 'temporal_predictor.';

/** As checkpoints have them. */
export function storedNames(tensors: ParameterSet): ParameterSet {
  return new Map([...tensors].map(([name, tensor]) => [`${prefix}${name}`, tensor]));
}

/** Of the tensors of a checkpoint those of a predictor, by its own names. */
export function ownNames(tensors: ParameterSet): ParameterSet {
  const own = [...tensors].filter(([name]) => name.startsWith(prefix));
  return new Map(own.map(([name, tensor]) => [name.slice(prefix.length), tensor]));
}
