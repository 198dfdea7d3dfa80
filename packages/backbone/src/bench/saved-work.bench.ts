/**
 * Floating-point operations of matrix products that a preference step saves, compared with a step that has a row per
 * answer, every logit and every gradient; computed from sizes alone. Measures are counted one after the other, each on
 * the work left by those before it, so savings and remaining work add up to the whole.
 */
import type { LlamaConfig } from '../files/model-config.ts';
import type { Size } from './llama-graph.bench.ts';

export interface Work {
  readonly what: string;
  readonly gigaflops: number;
  /** of the step without savings */
  readonly share: number;
}

/** Rows [visual][prompt][chosen][rejected]. */
export interface PreferenceRows extends Size {
  /** positions of one answer */
  readonly answer: number;
  /** positions of the visual tokens */
  readonly visual: number;
}

/** Forward passes: products with the layers' weights, with the head, and the two of attention. */
interface Forward {
  readonly layers: number;
  readonly head: number;
  readonly attention: number;
}

function forward(config: LlamaConfig, { batch, length }: Size): Forward {
  const positions = batch * length;
  const queries = config.heads * config.headSize;
  return {
    layers: config.layers * positions * layerWeights(config),
    head: 2 * positions * config.hiddenSize * config.vocabulary,
    attention: config.layers * 4 * positions * length * queries,
  };
}

/** Products of one position with one layer's weights. */
function layerWeights(config: LlamaConfig): number {
  const { hiddenSize: width, heads, keyValueHeads, headSize, intermediateSize: inner } = config;
  return 2 * width * (2 * heads * headSize + 2 * keyValueHeads * headSize + 3 * inner);
}

/** The measures taken, the remaining work, and the part of it that two further measures could save. */
export function savedWork(config: LlamaConfig, rows: PreferenceRows): Work[] {
  const { batch, length, answer } = rows;
  // forward, gradients of inputs, gradients of weights; attention has four products backward for two forward
  const step = ({ layers, head, attention }: Forward) => 3 * (layers + head + attention);
  const whole = step(forward(config, { batch: 2 * batch, length: length - answer }));
  const shared = forward(config, rows);
  const work = (what: string, operations: number): Work => ({
    what,
    gigaflops: operations / 1e9,
    share: operations / whole,
  });
  const saved = [
    work('one prompt for both answers', whole - step(shared)),
    work('no gradients of weights', shared.layers + shared.head),
    work('logits at labels only', 2 * shared.head * (1 - (2 * answer) / length)),
    work('later half of keys not for the earlier half of queries', (3 * shared.attention) / 4),
  ];
  const rest = saved.reduce((left, { gigaflops }) => left - gigaflops * 1e9, whole);
  return [...saved, work('computed', rest), ...possible(config, rows).map(([what, n]) => work(what, n))];
}

function possible(config: LlamaConfig, rows: PreferenceRows): [string, number][] {
  const { batch, length, answer, visual } = rows;
  const { hiddenSize: width, heads, keyValueHeads, headSize, layers } = config;
  const attention = ((3 / 4) * forward(config, rows).attention) / layers;
  const unlabelled = 1 - (2 * answer) / length;
  const unseen = 1 - visual / length;
  const keysAndValues = 4 * width * keyValueHeads * headSize;
  const intoAttention = 2 * width * heads * headSize + keysAndValues;
  const last = 2 * batch * length * (layerWeights(config) - keysAndValues) + 3 * attention;
  const first = batch * length * intoAttention + 2 * attention;
  return [
    ['  of it in the last layer away from labels', unlabelled * last],
    ['  of it in the first layer for gradients of text', unseen * first],
  ];
}

export function savedWorkTable(works: readonly Work[]): string {
  const lines = works.map(
    ({ what, gigaflops, share }) =>
      `${what.padEnd(56)}${gigaflops.toFixed(1).padStart(9)}${(100 * share).toFixed(1).padStart(8)} %`,
  );
  return [`${''.padEnd(56)}${'GFLOP'.padStart(9)}${'share'.padStart(8)}`, ...lines].join('\n');
}
