/**
 * EMMA: a frozen eye and a frozen language model with a trainable projection between them (arXiv 2311.16714).
 * The gradient crosses two engines: tfjs maps Q-Former outputs to visual tokens V, one graph run gives the loss and
 * ∂loss/∂V through the frozen language model, tfjs carries ∂loss/∂V into the projection's parameters.
 */
import { loadBackbone, modelIdentity, type Backbone } from '@emac/backbone';
import {
  EmacError,
  type Features,
  type Frame,
  type ImitationGradient,
  type ImitationRow,
  type PreferenceGradient,
  type PreferenceOptions,
  type PreferenceRow,
  type SequenceLogProbability,
  type Student,
} from '@emac/core';
import { float16ToFloat32, float32ToFloat16, sha256 } from '@emac/files';
import { createSession, type Graph, type Provider, type Session, type Value } from '@emac/graph';
import type { Projection } from './projection.ts';
import { imitationGraph, logProbabilityGraph, preferenceGraph } from './row-graphs.ts';
import { groupByLength, packRows, type PackedRows, type TokenRow } from './rows.ts';

export interface GenerationSettings {
  readonly beams: number;
  /** new tokens, end token included */
  readonly minLength: number;
  readonly maxLength: number;
}

export interface StudentOptions {
  /** folder in InstructBLIP layout */
  readonly model: string;
  readonly projection: Projection;
  readonly generation: GenerationSettings;
  readonly provider?: Provider;
  readonly threads?: number;
  /** positions (visual and text tokens, padding included) computed at once; bounds memory */
  readonly positionsPerRun?: number;
}

const defaultPositionsPerRun = 4096;

/** Opens a student. Errors: those of the model folder; `data` when the projection does not fit it. */
export async function createStudent(options: StudentOptions): Promise<Student> {
  const { provider = 'cpu', threads } = options;
  const session = { provider, ...(threads ? { threads } : {}) };
  const backbone = loadBackbone(options.model, session);
  const { config } = backbone.checkpoint;
  const tokenizer = backbone.tokenizer();
  const { beginToken, endToken } = tokenizer;
  if (beginToken === null || endToken === null)
    throw new EmacError('data', `${options.model}: the tokenizer names no begin or end token`);
  return new EmmaStudent({
    backbone,
    projection: options.projection,
    modelIdentity: await modelIdentity(options.model),
    generation: options.generation,
    positionsPerRun: options.positionsPerRun ?? defaultPositionsPerRun,
    queries: config.queryTokens,
    queryWidth: config.qformer.hiddenSize,
    width: config.llama.hiddenSize,
    beginToken,
    endToken,
    padToken: tokenizer.padToken ?? endToken,
    open: (graph) => createSession(graph, session),
  });
}

interface Parts {
  readonly backbone: Backbone;
  readonly projection: Projection;
  readonly modelIdentity: string;
  readonly generation: GenerationSettings;
  readonly positionsPerRun: number;
  /** Nq */
  readonly queries: number;
  /** Dq */
  readonly queryWidth: number;
  /** D */
  readonly width: number;
  readonly beginToken: number;
  readonly endToken: number;
  readonly padToken: number;
  readonly open: (graph: Graph) => Promise<Session>;
}

class EmmaStudent implements Student {
  readonly modelIdentity: string;
  readonly #parts: Parts;
  readonly #sessions = new Map<string, Promise<Session>>();
  readonly #known = new Map<string, Features>();

  constructor(parts: Parts) {
    this.#parts = parts;
    this.modelIdentity = parts.modelIdentity;
  }

  async features(frame: Frame): Promise<Features> {
    const { backbone } = this.#parts;
    const key = sha256(
      Buffer.concat([Buffer.from(`${this.modelIdentity} ${frame.width}×${frame.height} `), frame.data]),
    );
    const known = this.#known.get(key);
    if (known) return known;
    const output = await backbone.features(backbone.imageProcessor.process(frame));
    const features = { key, data: float16ToFloat32(float32ToFloat16(output)) };
    this.#remember(features);
    return features;
  }

  async act(text: string, features: Features): Promise<string> {
    const { backbone, generation, endToken } = this.#parts;
    const tokens = this.#promptTokens(text);
    const visual = this.#visual([features]);
    const ids = await backbone.generate(
      { visual, tokens },
      {
        endTokens: [endToken],
        beams: generation.beams,
        minNewTokens: generation.minLength,
        maxNewTokens: generation.maxLength,
        lengthPenalty: 0,
      },
    );
    return backbone.tokenizer().decode(ids);
  }

  countTargetTokens(target: string): number {
    return this.#targetTokens(target).length;
  }

  countTextTokens(text: string): number {
    return this.#promptTokens(text).length;
  }

  async logProbabilities(
    rows: readonly { features: Features; text: string; target: string }[],
  ): Promise<SequenceLogProbability[]> {
    const tokenRows = rows.map((row) => this.#tokenRow(row.text, [row.target]));
    const sums = new Float64Array(rows.length);
    const session = await this.#session('log-probabilities', () =>
      logProbabilityGraph(this.#parts.backbone.checkpoint),
    );
    for (const group of this.#groups(tokenRows)) {
      const { packed, feeds } = this.#feeds(group, { rows, tokenRows });
      const { log_probabilities: values } = await session.run(feeds);
      packed.owners.forEach(({ row }, label) => (sums[group[row]!]! += floats(values)[label]!));
    }
    return tokenRows.map((row, index) => ({ sum: sums[index]!, tokens: row.responses[0]!.length }));
  }

  async imitationGradient(rows: readonly ImitationRow[]): Promise<ImitationGradient> {
    const tokenRows = rows.map((row) => this.#tokenRow(row.text, [row.target]));
    const session = await this.#session('imitation', () => imitationGraph(this.#parts.backbone.checkpoint));
    const visualGradient = this.#emptyVisual(rows.length);
    let loss = 0;
    for (const group of this.#groups(tokenRows)) {
      const { packed, feeds } = this.#feeds(group, { rows, tokenRows });
      const weights = Float32Array.from(packed.owners, ({ row }) => rows[group[row]!]!.weight);
      const results = await session.run({ ...feeds, label_weights: vector(weights) });
      loss += floats(results['loss'])[0]!;
      this.#scatter(visualGradient, group, floats(results['visual_gradient']));
    }
    return { loss, gradients: this.#projectionGradients(rows, visualGradient) };
  }

  async preferenceGradient(
    rows: readonly PreferenceRow[],
    options: PreferenceOptions,
  ): Promise<PreferenceGradient> {
    const tokenRows = rows.map((row) => this.#tokenRow(row.text, [row.chosen, row.rejected]));
    const name = `preference β ${options.beta} mix ${options.mixRatio}`;
    const session = await this.#session(name, () =>
      preferenceGraph(this.#parts.backbone.checkpoint, options),
    );
    const visualGradient = this.#emptyVisual(rows.length);
    const chosen = new Float32Array(rows.length);
    const rejected = new Float32Array(rows.length);
    let loss = 0;
    for (const group of this.#groups(tokenRows)) {
      const { packed, feeds } = this.#feeds(group, { rows, tokenRows });
      const members = group.map((index) => rows[index]!);
      const results = await session.run({ ...feeds, ...preferenceFeeds(members, packed) });
      loss += floats(results['loss'])[0]!;
      group.forEach((index, row) => {
        chosen[index] = floats(results['chosen'])[row]!;
        rejected[index] = floats(results['rejected'])[row]!;
      });
      this.#scatter(visualGradient, group, floats(results['visual_gradient']));
    }
    return { loss, chosen, rejected, gradients: this.#projectionGradients(rows, visualGradient) };
  }

  parameters() {
    return this.#parts.projection.parameters;
  }

  commit(): void {
    this.#parts.projection.commit();
  }

  async dispose(): Promise<void> {
    const sessions = await Promise.all(this.#sessions.values());
    await Promise.all([...sessions.map((session) => session.dispose()), this.#parts.backbone.dispose()]);
    this.#parts.projection.dispose();
  }

  #session(name: string, build: () => Graph): Promise<Session> {
    const open = this.#sessions.get(name) ?? this.#parts.open(build());
    this.#sessions.set(name, open);
    return open;
  }

  #promptTokens(text: string): number[] {
    return [this.#parts.beginToken, ...this.#parts.backbone.tokenizer().encode(text)];
  }

  #targetTokens(target: string): number[] {
    const { backbone, endToken, generation } = this.#parts;
    const tokens = [...backbone.tokenizer().encode(target), endToken];
    return tokens.slice(0, generation.maxLength);
  }

  #tokenRow(text: string, targets: readonly string[]): TokenRow {
    return {
      prompt: this.#promptTokens(text),
      responses: targets.map((target) => this.#targetTokens(target)),
    };
  }

  #groups(rows: readonly TokenRow[]): number[][] {
    const { queries, positionsPerRun } = this.#parts;
    const withVisual = rows.map((row) => ({
      ...row,
      prompt: [...new Array<number>(queries).fill(0), ...row.prompt],
    }));
    return groupByLength(withVisual, positionsPerRun);
  }

  #feeds(
    group: readonly number[],
    all: { rows: readonly { features: Features }[]; tokenRows: readonly TokenRow[] },
  ): { packed: PackedRows; feeds: Record<string, Value> } {
    const { queries, width, padToken } = this.#parts;
    const packed = packRows(
      group.map((index) => all.tokenRows[index]!),
      { queries, pad: padToken },
    );
    const visual = this.#visual(group.map((index) => all.rows[index]!.features));
    return {
      packed,
      feeds: {
        ...packed.feeds,
        visual: { type: 'float32', shape: [group.length, queries, width], data: visual },
      },
    };
  }

  /** Visual tokens [n, Nq, D] of features. */
  #visual(features: readonly Features[]): Float32Array {
    const { projection, queries } = this.#parts;
    return projection.forward(this.#stacked(features), features.length, queries);
  }

  #stacked(features: readonly Features[]): Float32Array {
    const size = this.#parts.queries * this.#parts.queryWidth;
    const stacked = new Float32Array(features.length * size);
    features.forEach(({ data }, index) => {
      if (data.length !== size)
        throw new EmacError('data', `features must hold ${size} numbers for this model, got ${data.length}`);
      stacked.set(data, index * size);
    });
    return stacked;
  }

  #emptyVisual(rows: number): Float32Array {
    return new Float32Array(rows * this.#parts.queries * this.#parts.width);
  }

  /** Puts the gradients of a group's rows at their places among all rows. */
  #scatter(all: Float32Array, group: readonly number[], gradient: Float32Array): void {
    const size = this.#parts.queries * this.#parts.width;
    group.forEach((index, row) => all.set(gradient.subarray(row * size, (row + 1) * size), index * size));
  }

  #projectionGradients(
    rows: readonly { features: Features }[],
    visualGradient: Float32Array,
  ): Map<string, Float32Array> {
    const { projection, queries } = this.#parts;
    return projection.backward(
      this.#stacked(rows.map((row) => row.features)),
      rows.length,
      queries,
      visualGradient,
    );
  }

  /** Keeps the newest features: frames repeat within an episode and between rounds. */
  #remember(features: Features): void {
    const limit = 2048;
    if (this.#known.size >= limit) this.#known.delete(this.#known.keys().next().value!);
    this.#known.set(features.key, features);
  }
}

function preferenceFeeds(rows: readonly PreferenceRow[], { owners }: PackedRows): Record<string, Value> {
  const labels = owners.length;
  const counts = rows.map(() => [0, 0]);
  for (const { row, response } of owners) counts[row]![response]!++;
  const means = [new Float32Array(rows.length * labels), new Float32Array(rows.length * labels)];
  owners.forEach(({ row, response }, label) => {
    means[response]![row * labels + label] = 1 / counts[row]![response]!;
  });
  const matrix = (data: Float32Array): Value => ({ type: 'float32', shape: [rows.length, labels], data });
  const column = (value: (row: PreferenceRow) => number): Value => ({
    type: 'float32',
    shape: [rows.length, 1],
    data: Float32Array.from(rows, value),
  });
  return {
    chosen_means: matrix(means[0]!),
    rejected_means: matrix(means[1]!),
    reference_chosen: column((row) => row.referenceChosen),
    reference_rejected: column((row) => row.referenceRejected),
    pair_weights: column((row) => row.weight),
  };
}

function floats(value: Value | undefined): Float32Array {
  return value!.data as Float32Array;
}

function vector(data: Float32Array): Value {
  return { type: 'float32', shape: [data.length], data };
}
