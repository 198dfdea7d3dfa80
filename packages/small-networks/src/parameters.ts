/** A small network: its parameters by name, their initialization, and its computation. */
import { EmacError, Random, type Parameter, type ParameterSet } from '@emac/core';
import type { Tensor } from '@emac/graph';

/** The two trained parts. */
export type Part = 'policy' | 'value';

export interface ParameterStart {
  readonly name: string;
  readonly shape: readonly number[];
  /** The initial numbers, random or stored. */
  start(random: Random): Float32Array;
}

export interface Network {
  /** parameters of both parts, in their own order; shared ones belong to the policy */
  readonly parameters: Readonly<Record<Part, readonly ParameterStart[]>>;
  /** x [R, …] → logits [R, A] and values [R] or [R, 1]; without logits if the policy is omitted */
  apply(
    x: Tensor,
    parameter: (start: ParameterStart) => Tensor,
    parts: { readonly policy: boolean },
  ): { readonly logits: Tensor | null; readonly values: Tensor };
}

/** Initial parameters, or a copy of given ones. Errors: `data` if these do not fit the network. */
export function startOf(
  starts: Readonly<Record<Part, readonly ParameterStart[]>>,
  from: Random | ParameterSet,
): Readonly<Record<Part, ParameterSet>> {
  const of = (part: Part): ParameterSet =>
    new Map(starts[part].map((each) => [each.name, parameterOf(each, from)]));
  const found = { policy: of('policy'), value: of('value') };
  if (!(from instanceof Random)) refuseUnknown(from, found);
  return found;
}

function parameterOf({ name, shape, start }: ParameterStart, from: Random | ParameterSet): Parameter {
  if (from instanceof Random) return { shape, data: start(from) };
  const size = shape.reduce((product, each) => product * each, 1);
  const given = from.get(name);
  const found = given ? `[${given.shape.join(', ')}]` : 'nothing';
  if (found !== `[${shape.join(', ')}]` || given?.data.length !== size)
    throw new EmacError('data', `small network: ${name} must be [${shape.join(', ')}], got ${found}`);
  return { shape, data: given.data.slice() };
}

function refuseUnknown(given: ParameterSet, found: Readonly<Record<Part, ParameterSet>>): void {
  const unknown = [...given.keys()].find((name) => !found.policy.has(name) && !found.value.has(name));
  if (unknown !== undefined)
    throw new EmacError(
      'data',
      `small network: has no ${unknown}, only ${[...found.policy.keys(), ...found.value.keys()].join(', ')}`,
    );
}
