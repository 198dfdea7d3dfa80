/**
 * Steps from several datasets, drawn by weight without end: each dataset restarts after its last episode. A buffer shuffles them: each
 * drawn step is replaced by the next one. The same generator gives the same steps.
 */
import { EmacError, type Random } from '@emac/core';
import { isTensor, type Value, type ValueDict } from '../features/feature.ts';
import type { RldsEpisode, RldsStep } from '../steps/episodes.ts';

export interface MixturePart<Statistics> {
  readonly dataset: string;
  readonly weight: number;
  /** the dataset's statistics, passed through; for example those that normalize actions */
  readonly statistics: Statistics;
  /** its episodes from the beginning */
  readonly episodes: () => AsyncIterable<RldsEpisode>;
}

/** A step and its dataset. */
export interface PlacedStep<Statistics> {
  readonly dataset: string;
  readonly statistics: Statistics;
  readonly episode: Omit<RldsEpisode, 'steps' | 'values'>;
  readonly step: RldsStep;
}

export interface MixOptions {
  readonly random: Random;
  /** number of buffered steps to draw from; 1 (the default) keeps the order of each dataset */
  readonly buffer?: number;
}

/** All steps of one dataset, in order, once. */
export async function* stepsOf<Statistics>({
  dataset,
  statistics,
  episodes,
}: Omit<MixturePart<Statistics>, 'weight'>): AsyncGenerator<PlacedStep<Statistics>, void, undefined> {
  for await (const { number, filePath, steps } of episodes())
    for (const step of steps) yield { dataset, statistics, episode: { number, filePath }, step };
}

/**
 * Steps without end, their datasets drawn by weight. Errors: `usage` for weights and buffer; `data` for a dataset without steps, and
 * those of its episodes.
 */
export async function* mixedSteps<Statistics>(
  parts: readonly MixturePart<Statistics>[],
  { random, buffer = 1 }: MixOptions,
): AsyncGenerator<PlacedStep<Statistics>, never, undefined> {
  requireUsable(parts, buffer);
  const weights = parts.map(({ weight }) => weight);
  const [whence, place] = [random.stream('dataset'), random.stream('buffer')];
  const streams = parts.map((part) => endless(part));
  const next = async () => (await streams[whence.weightedIndex(weights)]!.next()).value;
  try {
    const held: PlacedStep<Statistics>[] = [];
    while (held.length < buffer - 1) held.push(detached(await next()));
    for (;;) {
      const newest = await next();
      const drawn = buffer === 1 ? 0 : place.integer(buffer);
      const step = held[drawn] ?? newest;
      if (drawn < held.length) held[drawn] = detached(newest);
      yield step;
    }
  } finally {
    for (const stream of streams) await stream.return(undefined as never);
  }
}

function requireUsable(
  parts: readonly { readonly dataset: string; readonly weight: number }[],
  buffer: number,
): void {
  const bad = parts.find(({ weight }) => !(weight > 0 && Number.isFinite(weight)));
  if (bad)
    throw new EmacError('usage', `mixture: ${bad.dataset}: its weight must be above 0, got ${bad.weight}`);
  if (parts.length === 0) throw new EmacError('usage', 'mixture: must have one dataset or more');
  if (!Number.isInteger(buffer) || buffer < 1)
    throw new EmacError('usage', `mixture: the buffer must be a whole number of steps from 1, got ${buffer}`);
}

async function* endless<Statistics>(
  part: MixturePart<Statistics>,
): AsyncGenerator<PlacedStep<Statistics>, never, undefined> {
  for (;;) {
    let count = 0;
    for await (const step of stepsOf(part)) {
      count++;
      yield step;
    }
    if (count === 0) throw new EmacError('data', `mixture: ${part.dataset}: must have steps; leave it out`);
  }
}

/** Copies a step: its pictures and tensors are views, each of which would keep a whole episode's record in memory. */
function detached<Statistics>(placed: PlacedStep<Statistics>): PlacedStep<Statistics> {
  const { step } = placed;
  const copies = new Map<Uint8Array, Uint8Array>();
  const values = copied(step.values, copies) as ValueDict;
  return {
    ...placed,
    step: { ...step, values, image: step.image && (copies.get(step.image) ?? step.image.slice()) },
  };
}

function copied(value: Value, copies: Map<Uint8Array, Uint8Array>): Value {
  if (typeof value !== 'object') return value;
  if (value instanceof Uint8Array) {
    const copy = value.slice();
    copies.set(value, copy);
    return copy;
  }
  if (Array.isArray(value)) return value.map((each) => copied(each as Value, copies));
  if (isTensor(value)) return { shape: value.shape, data: value.data.slice() };
  return Object.fromEntries(
    Object.entries(value as ValueDict).map(([name, inner]) => [name, copied(inner, copies)]),
  );
}
