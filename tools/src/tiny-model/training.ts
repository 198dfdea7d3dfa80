/** A training that can be stopped at any time and started again: weights, optimizer moments and counters are one file. */
import { existsSync } from 'node:fs';
import type { Parameter, ParameterGroup } from '@emac/core';
import { encodeSafetensors, openSafetensors, readFloat32, writeFileAtomic } from '@emac/files';
import { clipGradients, createAdamW, type AdamWOptions, type Optimizer } from '@emac/optim';
import type { Parameters } from './parameters.ts';
import type { Losses } from './trainer.ts';

/** Named whole numbers, changed in place: `update` must be among them. */
export type Counters = Record<string, number> & { update: number };

export interface TrainingOptions {
  readonly weightDecay: number;
  readonly counters: Counters;
  /** factor of a parameter's learning rate; default 1 */
  readonly rateScale?: (name: string) => number;
}

export interface Updates<Batch> {
  readonly run: (batch: Batch) => Promise<Losses>;
  /** the learning rate, called before each update */
  readonly rate: () => number;
  /** called after each update; returns whether to continue */
  readonly done: (batch: Batch, losses: Losses) => boolean | Promise<boolean>;
}

export interface Training {
  /** an update for each batch; the next batch is made while the networks compute */
  learn<Batch>(batches: Iterable<Batch>, updates: Updates<Batch>): Promise<void>;
  save(): void;
}

/** Trains these parameters; resumes from the file if it exists. */
export function openTraining(
  path: string,
  parameters: Parameters,
  { weightDecay, counters, rateScale = () => 1 }: TrainingOptions,
): Training {
  const options: AdamWOptions = { betas: [0.9, 0.98], epsilon: 1e-8, weightDecay };
  const groups = groupsOf(parameters, rateScale);
  const optimizer = existsSync(path)
    ? createAdamW(groups, options, readTraining(path, parameters, counters))
    : createAdamW(groups, options);
  return {
    async learn(batches, { run, rate, done }) {
      const stream = batches[Symbol.iterator]();
      for (let next = stream.next(), goesOn = true; goesOn && !next.done;) {
        const batch = next.value;
        const running = run(batch);
        next = stream.next();
        const losses = await running;
        clipGradients(losses.gradients, 1);
        optimizer.step(losses.gradients, rate());
        counters.update++;
        goesOn = await done(batch, losses);
      }
    },
    save: () => saveTraining(path, parameters, { optimizer, counters }),
  };
}

function saveTraining(
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

/** Puts weights and counters in place and gives the state of the optimizer. */
function readTraining(path: string, parameters: Parameters, counters: Counters) {
  const file = openSafetensors(path);
  for (const [name, { data }] of parameters) data.set(readFloat32(file, name));
  for (const name of Object.keys(counters)) counters[name] = Number(file.metadata[name]);
  const moments = [...file.tensors.values()].filter(({ name }) => name.endsWith('_moment'));
  const tensors = new Map(moments.map(({ name, shape }) => [name, { shape, data: readFloat32(file, name) }]));
  return { step: counters.update, tensors };
}

/** Groups parameters with equal learning-rate factors. */
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

/** A learning rate that rises over the first updates, then falls along a line, but not below a share of its peak. */
export function rateAt(
  update: number,
  { peak, warmUp, least, fraction }: { peak: number; warmUp: number; least: number; fraction: number },
): number {
  return peak * Math.min(1, (update + 1) / warmUp) * Math.max(least, 1 - fraction);
}

/** Counts per second since the last call. */
export function speedometer(count: () => number): () => number {
  let [before, time] = [count(), performance.now()];
  return () => {
    const [more, now] = [count() - before, performance.now()];
    const speed = Math.round((more * 1000) / (now - time));
    [before, time] = [count(), now];
    return speed;
  };
}

/** One line of JSON. */
export function print(line: object): void {
  process.stdout.write(JSON.stringify(line) + '\n');
}
