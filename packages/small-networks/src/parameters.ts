/** The parameters of a small network by name, and how they start. */
import { EmacError, Random, type Parameter, type ParameterSet } from '@emac/core';
import type { Architecture } from './architecture.ts';
import { layerShapes, type Layer } from './layers.ts';
import { orthogonal } from './orthogonal.ts';

/** The two parts, each a trunk and a layer after it. */
export interface Parts {
  readonly policy: readonly Layer[];
  readonly value: readonly Layer[];
}

/** Gains of the last layers: a policy that starts near uniform, values of usual size. */
const [policyGain, valueGain] = [0.01, 1];

export function partsOf({ trunk }: Pick<Architecture, 'trunk'>, actions: number): Parts {
  return {
    policy: [...trunk, { kind: 'linear', width: actions, activation: null, gain: policyGain }],
    value: [...trunk, { kind: 'linear', width: 1, activation: null, gain: valueGain }],
  };
}

/** `policy.0.weight` [out, in…], `policy.0.bias` [out], `policy.1.weight` … */
export function parameterNames(
  part: keyof Parts,
  layer: number,
): { readonly weight: string; readonly bias: string } {
  return { weight: `${part}.${layer}.weight`, bias: `${part}.${layer}.bias` };
}

/** Drawn anew, or a copy of those given. Errors: `data` where these are not of the network. */
export function startOf(
  parts: Parts,
  input: readonly number[],
  start: Random | ParameterSet,
): Readonly<Record<keyof Parts, ParameterSet>> {
  const of = (part: keyof Parts): ParameterSet => {
    const made = layerShapes(parts[part], input).flatMap(({ weight, gain }, layer) => {
      const names = parameterNames(part, layer);
      return [
        [names.weight, parameterOf(start, { name: names.weight, shape: weight, gain })],
        [names.bias, parameterOf(start, { name: names.bias, shape: [weight[0]!], gain: 0 })],
      ] as const;
    });
    return new Map(made);
  };
  const found = { policy: of('policy'), value: of('value') };
  if (!(start instanceof Random)) refuseUnknown(start, found);
  return found;
}

interface Wanted {
  readonly name: string;
  readonly shape: readonly number[];
  readonly gain: number;
}

function parameterOf(start: Random | ParameterSet, { name, shape, gain }: Wanted): Parameter {
  const size = shape.reduce((product, each) => product * each, 1);
  if (start instanceof Random) {
    const data = gain === 0 ? new Float32Array(size) : orthogonal(start.stream(name), shape, gain);
    return { shape, data };
  }
  const given = start.get(name);
  const found = given ? `[${given.shape.join(', ')}]` : 'nothing';
  if (found !== `[${shape.join(', ')}]` || given?.data.length !== size)
    throw new EmacError('data', `small network: ${name} must be [${shape.join(', ')}], got ${found}`);
  return { shape, data: given.data.slice() };
}

function refuseUnknown(given: ParameterSet, found: Readonly<Record<keyof Parts, ParameterSet>>): void {
  const unknown = [...given.keys()].find((name) => !found.policy.has(name) && !found.value.has(name));
  if (unknown !== undefined)
    throw new EmacError(
      'data',
      `small network: has no ${unknown}, only ${[...found.policy.keys(), ...found.value.keys()].join(', ')}`,
    );
}
