/** Weights, optimizer moments and counters of a training in one file, so that it can be stopped and started again. */
import { existsSync } from 'node:fs';
import type { Parameter, ParameterGroup } from '@emac/core';
import { encodeSafetensors, openSafetensors, readFloat32, writeFileAtomic } from '@emac/files';
import { createAdamW, type AdamWOptions, type Optimizer } from '@emac/optim';
import type { Parameters } from './language-model.ts';

/** Named whole numbers, changed in place: `update` must be among them. */
export type Counters = Record<string, number> & { update: number };

export function saveTraining(
  path: string,
  parameters: Parameters,
  { optimizer, counters }: { optimizer: Optimizer; counters: Counters },
): void {
  const tensors: [string, Parameter][] = [...parameters, ...optimizer.state().tensors];
  const entries = new Map(
    tensors.map(([name, { shape, data }]) => [name, { dtype: 'F32' as const, shape: [...shape], data }]),
  );
  const metadata = Object.fromEntries(Object.entries(counters).map(([name, value]) => [name, String(value)]));
  writeFileAtomic(path, encodeSafetensors(entries, metadata));
}

export interface TrainingOptions {
  readonly options: AdamWOptions;
  readonly counters: Counters;
  /** what the learning rate is multiplied by for a parameter; default 1 for all */
  readonly rateScale?: (name: string) => number;
}

/** An optimizer over the parameters; where the file exists, all goes on from it. */
export function openTraining(
  path: string,
  parameters: Parameters,
  { options, counters, rateScale = () => 1 }: TrainingOptions,
): Optimizer {
  const groups = groupsOf(parameters, rateScale);
  if (!existsSync(path)) return createAdamW(groups, options);
  const file = openSafetensors(path);
  for (const [name, { data }] of parameters) data.set(readFloat32(file, name));
  for (const name of Object.keys(counters)) counters[name] = Number(file.metadata[name]);
  const moments = [...file.tensors.values()].filter(({ name }) => name.endsWith('_moment'));
  const tensors = new Map(moments.map(({ name, shape }) => [name, { shape, data: readFloat32(file, name) }]));
  return createAdamW(groups, options, { step: counters.update, tensors });
}

/** Parameters that learn alike together. */
function groupsOf(parameters: Parameters, rateScale: (name: string) => number): ParameterGroup[] {
  const byScale = new Map<number, Map<string, Parameter>>();
  for (const [name, parameter] of parameters) {
    const scale = rateScale(name);
    byScale.set(scale, (byScale.get(scale) ?? new Map<string, Parameter>()).set(name, parameter));
  }
  return [...byScale].map(([learningRateScale, members]) => ({
    name: `weights × ${learningRateScale}`,
    parameters: members,
    learningRateScale,
  }));
}
