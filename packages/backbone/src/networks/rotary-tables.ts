/**
 * Cosines and sines of rotary positions (Su et al., arXiv 2104.09864), rounded to float32 at the same places as Hugging
 * Face's LLaMA: the angle of position p in pair i is p · base^(−2i/d). Positions of pictures have three axes, and each
 * pair of a head turns with one of them (Qwen2-VL, arXiv 2409.12191, §2.1).
 */
import { multiplyDimensions, op, type Dimension, type Graph, type Tensor } from '@emac/graph';

import type { LlamaConfig } from '../files/model-config.ts';

/**
 * Least rows of a table. ONNX Runtime needs as many rows as a sequence has places, and a sequence with branches has more places than
 * positions.
 */
export const leastTableRows = 1536;

/** Rotation of heads: tables, and their rows by number. */
export interface Rotation {
  /** int64 [B, S], rows of the tables */
  readonly positionIds: Tensor;
  /** [rows, d/2] */
  readonly cos: Tensor;
  readonly sin: Tensor;
}

type Rotary = Pick<
  LlamaConfig,
  'headSize' | 'maxPositions' | 'ropeTheta' | 'ropeScaling' | 'rotarySections' | 'rotaryInterleaved'
>;

/** positions in a graph's table; for longer contexts, cosines and sines are computed in the run */
const tablePositions = 8192;

/** For positions int64 [B, S], or [3, B, S] if each pair has its own axis. */
export function rotation(config: Rotary, positionIds: Tensor): Rotation {
  const { graph, shape } = positionIds;
  if (shape.length === 2 && config.maxPositions <= tablePositions)
    return { positionIds, ...rotaryTables(graph, config) };
  return computedRotation(config, positionIds);
}

/** The tables as constants, once per graph. */
function rotaryTables(graph: Graph, config: Rotary): Pick<Rotation, 'cos' | 'sin'> {
  const { headSize, maxPositions, ropeTheta, ropeScaling } = config;
  const half = headSize / 2;
  const rows = Math.max(maxPositions, leastTableRows);
  const table = (name: 'cos' | 'sin'): Tensor => {
    const key = `rotary ${name} ${headSize} ${maxPositions} ${ropeTheta} ${JSON.stringify(ropeScaling)}`;
    return graph.memo(key, () => {
      const data = computed.get(key) ?? waves(config, rows, Math[name]);
      computed.set(key, data);
      return graph.constant(data, [rows, half]);
    });
  };
  return { cos: table('cos'), sin: table('sin') };
}

/** Tables of this process: all graphs of a network have the same. */
const computed = new Map<string, Float32Array>();

function waves(config: Rotary, rows: number, wave: (angle: number) => number): Float32Array {
  const half = config.headSize / 2;
  const data = new Float32Array(rows * half);
  scaledFrequencies(config).forEach((frequency, pair) => {
    for (let position = 0; position < rows; position++)
      data[position * half + pair] = wave(Math.fround(position * frequency));
  });
  return data;
}

/** base^(−2i/d) for each pair i of a head of width d, in float32. */
export function frequencies(headSize: number, base: number): Float32Array {
  return Float32Array.from({ length: headSize / 2 }, (_, pair) => {
    return 1 / Math.fround(base ** Math.fround((2 * pair) / headSize));
  });
}

/** The angle of one position in each pair, rounded where transformers 4.57 rounds. */
function scaledFrequencies({ headSize, ropeTheta, ropeScaling }: Rotary): Float32Array {
  const plain = frequencies(headSize, ropeTheta);
  if (!ropeScaling) return plain;
  const { factor } = ropeScaling;
  if (ropeScaling.type === 'linear') return plain.map((each) => each / factor);
  const { lowFrequencyFactor: low, highFrequencyFactor: high, originalPositions } = ropeScaling;
  const { fround } = Math;
  return plain.map((each) => {
    const wavelength = fround((2 * Math.PI) / each);
    if (wavelength < originalPositions / high) return each;
    if (wavelength > originalPositions / low) return each / factor;
    const blend = fround(fround(fround(originalPositions / wavelength) - low) / (high - low));
    return fround(fround(fround(1 - blend) * each) / factor) + fround(blend * each);
  });
}

/** One row for every position of the run, in the order of the rows of the batch. */
function computedRotation(config: Rotary, positionIds: Tensor): Rotation {
  const { shape } = positionIds;
  const [batch, length] = shape.slice(-2);
  const rows = multiplyDimensions(batch!, length!);
  const axes = shape.length === 3 ? [0, 1, 2].map((axis) => op.slice(positionIds, 0, span(axis, 1))) : null;
  const angle =
    axes && config.rotaryInterleaved
      ? alternating(config, { axes, rows })
      : inSections(config, { axes: axes ?? [positionIds], rows });
  const numbers = op.reshape(op.range(angle, 0), [batch!, length!]);
  return { positionIds: numbers, cos: op.cos(angle), sin: op.sin(angle) };
}

interface Axes {
  /** int64, positions on each axis */
  readonly axes: readonly Tensor[];
  readonly rows: Dimension;
}

/** Angles [rows, d/2]; pairs of one axis are adjacent. */
function inSections(config: Rotary, { axes, rows }: Axes): Tensor {
  const sections = axes.length > 1 && config.rotarySections ? config.rotarySections : [config.headSize / 2];
  const all = scaledFrequencies(config);
  let start = 0;
  const angles = sections.map((count, section) => {
    const own = axes[0]!.graph.constant(all.slice(start, (start += count)), [1, count]);
    return op.multiply(asColumn(axes[section % axes.length]!, rows), own);
  });
  return angles.length === 1 ? angles[0]! : op.concat(angles, 1);
}

/** The same; pair i has axis i mod 3 while that axis has pairs left, else the first. Every pair is a sum of one angle and zeros. */
function alternating(config: Rotary, { axes, rows }: Axes): Tensor {
  const axisOf = (pair: number) =>
    Math.floor(pair / axes.length) < config.rotarySections![pair % axes.length]! ? pair % axes.length : 0;
  const all = scaledFrequencies(config);
  return axes
    .map((positions, axis) => {
      const own = all.map((frequency, pair) => (axisOf(pair) === axis ? frequency : 0));
      return op.multiply(asColumn(positions, rows), positions.graph.constant(own, [1, own.length]));
    })
    .reduce((sum, each) => op.add(sum, each));
}

const asColumn = (positions: Tensor, rows: Dimension): Tensor =>
  op.reshape(op.cast(positions, 'float32'), [rows, 1]);

const span = (start: number, count: number) => ({ start, end: start + count });
