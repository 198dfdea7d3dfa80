/**
 * Measures all ways of computing an update, alternating in one run; reports medians beside the ratio predicted from
 * operation counts.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asInstructBlip, loadBackbone, openModelFiles, type ModelFiles } from '@emac/backbone';
import { Random, type Gradient, type Parameter } from '@emac/core';
import {
  createProjection,
  createStudent,
  type LoadedTensorflow,
  type Savings,
  type Student,
} from '@emac/model';
import {
  firstOperations,
  publishedOperations,
  savedOperations,
  sumOf,
  type Operations,
} from './operations.ts';
import { startPeer, tokensOf, type PeerAnswer } from './peer.ts';
import type { Pair } from './play.ts';
import { firstUpdate, publishedUpdate, savedUpdate, type Policies, type Update } from './update.ts';

export interface MeasureOptions {
  readonly what: string;
  readonly tensorflow: LoadedTensorflow;
  /** a Python with torch and safetensors */
  readonly python?: string | undefined;
  readonly repetitions: number;
}

export interface Measured {
  readonly what: string;
  /** mean tokens of prompts, visual ones not included, and of answers */
  readonly tokens: { readonly prompt: number; readonly answer: number };
  readonly rows: readonly MeasuredRow[];
  /** of the gradient as published, ‖ours − published‖ / ‖published‖ */
  readonly gradientDifference: number;
  /** of loss and norm of the gradient, PyTorch's relative to ours as published */
  readonly peerDifference?: number;
  readonly peerThreads?: number;
}

export interface MeasuredRow {
  readonly name: 'published' | 'first' | 'saved' | 'pytorch';
  /** median, milliseconds */
  readonly ms: number;
  readonly operations: Operations;
}

const operationsOf = {
  published: publishedOperations,
  pytorch: publishedOperations,
  first: firstOperations,
  saved: savedOperations,
};

/** Errors: those of the model folder, and of the Python program. */
export async function measured(
  model: string,
  pairs: readonly Pair[],
  { what, tensorflow, python, repetitions }: MeasureOptions,
): Promise<Measured> {
  const folder = mkdtempSync(join(tmpdir(), 'emac-bench-'));
  const checkpoint = openModelFiles(model);
  const eye = loadBackbone(checkpoint, { layers: 'resident' });
  const policies = (savings: Partial<Savings> | 'none') => openPolicies(checkpoint, tensorflow, savings);
  const [plain, ours, fresh] = [await policies('none'), await policies({}), await policies({})];
  const peer = python === undefined ? undefined : startPeer(plain, eye, { python, folder, pairs });
  try {
    const updates: Record<string, Update> = {
      published: publishedUpdate(plain, pairs, eye),
      first: firstUpdate(fresh, pairs),
      saved: await savedUpdate(ours, pairs),
    };
    const first = { published: await updates['published']!(), saved: await updates['saved']!() };
    await updates['first']!();
    const peerThreads = await peer?.calibrate();
    const peerFirst = await peer?.update();
    const times = await inTurns(
      { ...timedUpdates(updates), ...(peer && { pytorch: async () => (await peer.update()).ms }) },
      repetitions,
    );
    const tokens = tokensOf(pairs, eye);
    const lengths = tokens.map(({ prompt, chosen, rejected }) => {
      return { prompt: prompt.length, chosen: chosen.length, rejected: rejected.length };
    });
    const rows = Object.entries(times).map(([key, ms]): MeasuredRow => {
      const name = key as MeasuredRow['name'];
      const config = {
        ...asInstructBlip(checkpoint).config,
        llama: { ...checkpoint.config.llama, vocabulary: checkpoint.vocabulary },
      };
      return { name, ms, operations: operationsOf[name](config, lengths) };
    });
    return {
      what,
      rows,
      gradientDifference: gradientDifference(first.saved, first.published),
      tokens: {
        prompt: mean(lengths.map(({ prompt }) => prompt)),
        answer: mean(lengths.flatMap(({ chosen, rejected }) => [chosen, rejected])),
      },
      ...(peerThreads !== undefined && { peerThreads }),
      ...(peerFirst && { peerDifference: peerDifference(peerFirst, first.published) }),
    };
  } finally {
    peer?.end();
    await eye.dispose();
    for (const each of [plain, ours, fresh])
      await Promise.all([each.student.dispose(), each.reference.dispose()]);
    rmSync(folder, { recursive: true });
  }
}

/** The model's own projection, or a random one; the reference's differs slightly, so rewards are not 0. */
async function openPolicies(
  checkpoint: ModelFiles,
  tensorflow: LoadedTensorflow,
  savings: Partial<Savings> | 'none',
): Promise<Policies> {
  const open = (spread: number) => openPolicy(checkpoint, { tensorflow, savings, spread });
  return { student: await open(0), reference: await open(0.1) };
}

interface PolicyParts {
  readonly tensorflow: LoadedTensorflow;
  readonly savings: Partial<Savings> | 'none';
  /** how far parameters are from the model's own, relative to their root mean square */
  readonly spread: number;
}

export async function openPolicy(checkpoint: ModelFiles, parts: PolicyParts): Promise<Student> {
  const { tensorflow, savings, spread } = parts;
  const { qformer, llama } = asInstructBlip(checkpoint).config;
  const parameters = ['weight', 'bias'].map((part): [string, Parameter] => {
    const name = `language_projection.${part}`;
    const { shape, data } = checkpoint.read(name);
    return [name, { shape, data: moved(data, spread) }];
  });
  const projection = createProjection(tensorflow.tf, {
    kind: 'linear',
    inputWidth: qformer.hiddenSize,
    outputWidth: llama.hiddenSize,
    parameters: new Map(parameters),
  });
  return createStudent({
    model: checkpoint,
    identity: 'measured',
    projection,
    savings,
    layers: 'resident',
    generation: { minLength: 1, maxLength: 128 },
  });
}

function moved(values: Float32Array, spread: number): Float32Array {
  const random = Random.fromSeed('reference');
  const size = Math.sqrt(values.reduce((sum, value) => sum + value * value, 0) / values.length);
  return values.map((value) => value + spread * size * Math.sqrt(12) * (random.uniform() - 0.5));
}

function timedUpdates(updates: Readonly<Record<string, Update>>): Record<string, () => Promise<number>> {
  return Object.fromEntries(
    Object.entries(updates).map(([name, update]) => [
      name,
      async () => {
        const start = performance.now();
        await update();
        return performance.now() - start;
      },
    ]),
  );
}

async function inTurns(
  runs: Readonly<Record<string, () => Promise<number>>>,
  repetitions: number,
): Promise<Record<string, number>> {
  const names = Object.keys(runs);
  const times = new Map(names.map((name) => [name, [] as number[]]));
  for (let repetition = 0; repetition < repetitions; repetition++)
    for (const name of names) times.get(name)!.push(await runs[name]!());
  return Object.fromEntries([...times].map(([name, values]) => [name, median(values)]));
}

function gradientDifference(found: Gradient, expected: Gradient): number {
  let [difference, size] = [0, 0];
  for (const [name, values] of expected.gradients)
    values.forEach((value, place) => {
      difference += (found.gradients.get(name)![place]! - value) ** 2;
      size += value ** 2;
    });
  return Math.sqrt(difference / size);
}

function peerDifference(found: PeerAnswer, expected: Gradient): number {
  let squares = 0;
  for (const values of expected.gradients.values()) for (const value of values) squares += value ** 2;
  const relative = (a: number, b: number) => Math.abs(a - b) / Math.abs(b);
  return Math.max(relative(found.loss, expected.loss), relative(found.gradientNorm, Math.sqrt(squares)));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}

function median(values: readonly number[]): number {
  return [...values].sort((a, b) => a - b)[values.length >> 1]!;
}

/** A table of each way's time, its ratio to our steady state, and the predicted ratio. */
export function table({ what, tokens, rows, ...agreement }: Measured): string {
  const saved = rows.find(({ name }) => name === 'saved')!;
  const first = rows.find(({ name }) => name === 'first')!;
  const ratios = (row: MeasuredRow, to: MeasuredRow): string => {
    const found = row.ms / to.ms;
    const predicted = sumOf(row.operations) / sumOf(to.operations);
    return [found.toFixed(2), predicted.toFixed(2), (found / predicted).toFixed(2)]
      .map((cell) => cell.padStart(10))
      .join('');
  };
  const lines = rows.map((row) => {
    const gigaflop = (sumOf(row.operations) / 1e9).toFixed(2).padStart(10);
    const cells =
      row.name === 'published' || row.name === 'pytorch' ? ratios(row, saved) + ratios(row, first) : '';
    return `${labels[row.name].padEnd(28)}${row.ms.toFixed(1).padStart(10)}${gigaflop}${cells}`;
  });
  const columns = ['÷ steady', 'predicted', 'share', '÷ first', 'predicted', 'share'];
  const head = ['ms', 'GFLOP', ...columns].map((cell) => cell.padStart(10)).join('');
  const { gradientDifference: ours, peerDifference: theirs, peerThreads } = agreement;
  return [
    `${what}; prompts of ${tokens.prompt.toFixed(0)} and answers of ${tokens.answer.toFixed(1)} tokens`,
    `${''.padEnd(28)}${head}`,
    ...lines,
    `gradients agree to ${ours.toExponential(1)}${theirs === undefined ? '' : `, PyTorch (${peerThreads} threads) to ${theirs.toExponential(1)}`}`,
  ].join('\n');
}

const labels: Readonly<Record<MeasuredRow['name'], string>> = {
  published: 'as published, same engine',
  first: 'ours, while caches fill',
  saved: 'ours, steady state',
  pytorch: 'as published, PyTorch',
};
