/** How large the parameters of a policy are. */
import { parametersOf, type ParameterSet, type Trainable } from '@emac/core';
import { policyParameters, type Student } from '@emac/model';

/** Sizes of a policy in a checkpoint, in bytes. */
export interface PolicySizes {
  readonly parameters: number;
  /** the trainable ones, each with two moments */
  readonly trained: number;
}

export function policySizes(
  student: Pick<Student, 'projection' | 'adapter'> & Pick<Trainable, 'groups'>,
): PolicySizes {
  return { parameters: tensorBytes(policyParameters(student)), trained: tensorBytes(parametersOf(student)) };
}

export function tensorBytes(parameters: ParameterSet): number {
  return [...parameters.values()].reduce((sum, { data }) => sum + data.byteLength, 0);
}
