/** Names of tensors that a checkpoint holds beside the policy's own of the same name: a prefix tells them apart. */
import type { ParameterSet } from '@emac/core';

/** Of the second adapter that predicts actions. */
export const ofPredictor = 'temporal_predictor.';

const ofEarlier = (place: number): string => `earlier.${place}.`;

/** As checkpoints have them. */
export function storedNames(tensors: ParameterSet, prefix: string): ParameterSet {
  return new Map([...tensors].map(([name, tensor]) => [`${prefix}${name}`, tensor]));
}

/** Those with the prefix, by their own names. */
export function ownNames(tensors: ParameterSet, prefix: string): ParameterSet {
  const own = [...tensors].filter(([name]) => name.startsWith(prefix));
  return new Map(own.map(([name, tensor]) => [name.slice(prefix.length), tensor]));
}

/** Earlier versions of a policy, oldest first, as checkpoints have them. */
export function namesOfEarlier(versions: readonly ParameterSet[]): ParameterSet {
  return new Map(versions.flatMap((version, place) => [...storedNames(version, ofEarlier(place))]));
}

/** Of the tensors of a checkpoint earlier versions, oldest first. */
export function earlierOf(tensors: ParameterSet): ParameterSet[] {
  const versions: ParameterSet[] = [];
  for (;;) {
    const own = ownNames(tensors, ofEarlier(versions.length));
    if (own.size === 0) return versions;
    versions.push(own);
  }
}
