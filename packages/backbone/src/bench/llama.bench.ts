/**
 * A LLaMA of 26 million parameters, forward and forward with backward, in turns with its matrix products alone. With a
 * Python that has PyTorch it also runs `tools/reference/bench_llama.py` on the same file and inputs.
 */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { encodeSafetensors } from '@emac/files';
import { createSessions, type Graph, type Session } from '@emac/graph';

import type { LlamaModel } from '../generation/generation-graphs.ts';
import { languageModelFolder } from './language-model-folder.bench.ts';
import { llamaFeeds, llamaGraph, type LlamaFeeds, type Size } from './llama-graph.bench.ts';
import { median } from './median.bench.ts';
import {
  activations,
  holdingGraph,
  operationsOf,
  productsGraph,
  productsOf,
  type Product,
} from './products-graph.bench.ts';
import { pythonLine, type PythonLine } from './python-line.bench.ts';
import { savedWork, type Work } from './saved-work.bench.ts';

export interface LlamaBenchOptions {
  /** a Python with torch and safetensors */
  readonly python?: string;
  /** default 11 */
  readonly repetitions?: number;
}

export interface LlamaRow extends Size {
  readonly backward: boolean;
  /** medians, milliseconds */
  readonly model: number;
  /** the model's matrix products alone */
  readonly products: number;
  /** the same with attention's products computed whole, half of their results hidden by the mask */
  readonly wholeProducts: number;
  readonly pytorch?: number;
  /** of `products`, per second */
  readonly gigaflops: number;
  /** of loss and norm of the gradient, relative to PyTorch's */
  readonly difference?: number;
}

export interface LlamaBench {
  readonly rows: LlamaRow[];
  readonly work: Work[];
}

const sizes: readonly Size[] = [
  { batch: 2, length: 256 },
  { batch: 4, length: 512 },
];
const script = new URL('../../../../tools/reference/bench_llama.py', import.meta.url).pathname;

/** Both sizes, forward and with backward. */
export async function llamaBench({ python, repetitions = 11 }: LlamaBenchOptions = {}): Promise<LlamaBench> {
  using files = languageModelFolder(1000);
  const { model, folder } = files;
  const peer = python === undefined ? undefined : pythonLine(python, [script, folder]);
  const rows: LlamaRow[] = [];
  try {
    for (const size of sizes)
      for (const backward of [false, true])
        rows.push(await measured(model, { size, backward, repetitions, folder, peer }));
  } finally {
    peer?.end();
  }
  const work = savedWork(
    { ...model.config, vocabulary: 32000 },
    { batch: 4, length: 512, answer: 12, visual: 32 },
  );
  return { rows, work };
}

interface Case {
  readonly size: Size;
  readonly backward: boolean;
  readonly repetitions: number;
  readonly folder: string;
  readonly peer: PythonLine | undefined;
}

interface Timing {
  readonly ms: number;
  readonly loss?: number;
  readonly gradientNorm?: number;
}

type Run = () => Promise<Timing>;

async function measured(model: LlamaModel, given: Case): Promise<LlamaRow> {
  const { size, backward, repetitions, folder, peer } = given;
  const products = productsOf(llamaGraph(model, { backward, size }));
  const whole = productsOf(llamaGraph(model, { backward, size, masked: false }));
  const feeds = llamaFeeds(model.config, size);
  const sessions = await createSessions({ model: llamaGraph(model, { backward }) }, { spin: true });
  const [alone, wholeAlone] = [await productsAlone(products), await productsAlone(whole)];
  const runs: Record<string, Run> = {
    model: () => modelRun(sessions.model, feeds),
    products: alone.run,
    wholeProducts: wholeAlone.run,
    ...(peer ? { pytorch: peerRun(peer, { folder, backward, feeds }) } : {}),
  };
  const { medians, last } = await inTurns(runs, repetitions);
  await Promise.all([sessions.model.dispose(), alone.dispose(), wholeAlone.dispose()]);
  return {
    ...size,
    backward,
    model: medians['model']!,
    products: medians['products']!,
    wholeProducts: medians['wholeProducts']!,
    gigaflops: operationsOf(products) / 1e6 / medians['products']!,
    ...(peer
      ? { pytorch: medians['pytorch']!, difference: difference(last['model']!, last['pytorch']!) }
      : {}),
  };
}

async function modelRun(session: Session, feeds: LlamaFeeds): Promise<Timing> {
  const start = performance.now();
  const { loss, gradient } = await session.run(feeds);
  const ms = performance.now() - start;
  const norm = gradient && Math.sqrt((gradient.data as Float32Array).reduce((sum, g) => sum + g * g, 0));
  return { ms, loss: Number(loss!.data[0]), ...(norm === undefined ? {} : { gradientNorm: norm }) };
}

/** Inputs stay on the session's device, so only the products are timed. */
async function productsAlone(list: readonly Product[]): Promise<{ run: Run; dispose: () => Promise<void> }> {
  const graph: Graph = productsGraph(list);
  const { alone, holding } = await createSessions(
    { alone: graph, holding: holdingGraph(graph) },
    { spin: true },
  );
  const inputs = activations(graph);
  const names = Object.keys(inputs);
  const { kept } = await holding.runKeeping(
    inputs,
    names.map((name) => `held ${name}`),
  );
  const feeds = Object.fromEntries(names.map((name) => [name, kept[`held ${name}`]!]));
  return {
    run: async () => {
      const start = performance.now();
      await alone.run(feeds);
      return { ms: performance.now() - start };
    },
    dispose: async () => {
      await Promise.all([alone.dispose(), holding.dispose()]);
    },
  };
}

function peerRun(
  peer: PythonLine,
  { folder, backward, feeds }: { folder: string; backward: boolean; feeds: LlamaFeeds },
): Run {
  const { embeddings, labels } = feeds;
  const inputs = join(folder, `inputs-${embeddings.shape.join('-')}.bin`);
  const tensors = new Map([
    ['embeddings', { dtype: 'F32' as const, shape: embeddings.shape, data: embeddings.data }],
    ['labels', { dtype: 'I64' as const, shape: [labels.data.length], data: labels.data }],
  ]);
  writeFileSync(inputs, encodeSafetensors(tensors));
  return async () => (await peer.ask({ backward, inputs })) as unknown as Timing;
}

/** Every run once per repetition, after two warm-up repetitions. */
async function inTurns(
  runs: Readonly<Record<string, Run>>,
  repetitions: number,
): Promise<{ medians: Record<string, number>; last: Record<string, Timing> }> {
  const times: Record<string, number[]> = {};
  const last: Record<string, Timing> = {};
  for (let repetition = -2; repetition < repetitions; repetition++)
    for (const [name, run] of Object.entries(runs)) {
      last[name] = await run();
      if (repetition >= 0) (times[name] ??= []).push(last[name].ms);
    }
  return {
    medians: Object.fromEntries(Object.entries(times).map(([name, list]) => [name, median(list)])),
    last,
  };
}

function difference(ours: Timing, theirs: Timing): number {
  const relative = (a: number, b: number) => Math.abs(a - b) / Math.abs(b);
  const ofLoss = relative(ours.loss!, theirs.loss!);
  if (ours.gradientNorm === undefined) return ofLoss;
  return Math.max(ofLoss, relative(ours.gradientNorm, theirs.gradientNorm!));
}

/** The rows as a readable table. */
export function llamaTable(rows: readonly LlamaRow[]): string {
  const head = ['ms', 'products', 'share', 'whole', 'GFLOP/s', 'PyTorch ms', 'difference'];
  const lines = rows.map((row) => {
    const { backward, batch, length, model, products, wholeProducts, gigaflops, pytorch, difference } = row;
    const cells = [
      ...[model.toFixed(1), products.toFixed(1), (products / model).toFixed(2)],
      ...[(wholeProducts / model).toFixed(2), gigaflops.toFixed(0)],
      ...[pytorch?.toFixed(1) ?? '', difference?.toExponential(0) ?? ''],
    ];
    const what = `${backward ? 'forward + backward' : 'forward'}, ${batch} × ${length}`;
    return what.padEnd(32) + cells.map((cell) => cell.padStart(12)).join('');
  });
  return [`${''.padEnd(32)}${head.map((cell) => cell.padStart(12)).join('')}`, ...lines].join('\n');
}
