/**
 * The gradient of an update in a fixed number of logical shards, as in data-parallel training. Rows are split by count
 * into contiguous shards; losses and gradients are added in shard order, gradients in float32. Where and when a shard
 * is computed changes nothing. The number of shards changes the last bits, since it orders the sum. It also changes an
 * adapter's dropout, since each shard draws its own.
 */
import type {
  ActorCritic,
  ActorCriticGradient,
  ActorCriticLosses,
  ActorCriticRow,
  Gradient,
  GradientRow,
  Loss,
  Trainable,
} from '@emac/core';

/** Gradients of shards, in their order. */
export type ShardsOf<Row, Losses, Found> = (
  shards: readonly (readonly Row[])[],
  losses: Losses,
) => AsyncIterable<Found>;

/** Of a `Trainable`. */
export type ShardGradients = ShardsOf<GradientRow, Loss, Gradient>;

/** Of an `ActorCritic`. */
export type ActorShardGradients = ShardsOf<ActorCriticRow, ActorCriticLosses, ActorCriticGradient>;

/** Rows in `count` contiguous shards whose sizes differ by at most one; with fewer rows, one shard per row. */
export function shardsOf<Row>(rows: readonly Row[], count: number): (readonly Row[])[] {
  const parts = Math.max(1, Math.min(count, rows.length));
  const from = (part: number): number => Math.floor((part * rows.length) / parts);
  return Array.from({ length: parts }, (_, part) => rows.slice(from(part), from(part + 1)));
}

/** Computes shards one after another with a single-process gradient. */
export function oneByOne<Row, Losses, Found>(
  gradient: (rows: readonly Row[], losses: Losses) => Promise<Found>,
): ShardsOf<Row, Losses, Found> {
  return async function* (shards, losses) {
    for (const rows of shards) yield await gradient(rows, losses);
  };
}

/** The gradient of a `Trainable` as the sum of `count` shards, each computed by `each`. Errors: those of `each`. */
export function gradientInShards(count: number, each: ShardGradients): Trainable['gradient'] {
  return async (rows, loss) => {
    const gradients = new Map<string, Float32Array>();
    const logProbabilities: (readonly number[])[] = [];
    let sum = 0;
    for await (const found of each(shardsOf(rows, count), loss)) {
      sum += found.loss;
      addAll(gradients, found.gradients);
      logProbabilities.push(...found.logProbabilities);
    }
    return { loss: sum, gradients, logProbabilities };
  };
}

/** The same for an `ActorCritic`; values are in row order. */
export function actorCriticInShards(count: number, each: ActorShardGradients): ActorCritic['gradient'] {
  return async (rows, losses) => {
    const gradients = new Map<string, Float32Array>();
    const logProbabilities: (readonly number[])[] = [];
    const values: number[] = [];
    const loss = { policyLoss: 0, valueLoss: 0 };
    for await (const found of each(shardsOf(rows, count), losses)) {
      loss.policyLoss += found.policyLoss;
      loss.valueLoss += found.valueLoss;
      addAll(gradients, found.gradients);
      logProbabilities.push(...found.logProbabilities);
      values.push(...found.values);
    }
    return { ...loss, gradients, logProbabilities, values: Float32Array.from(values) };
  };
}

/** Copies the first one: its arrays may belong to the caller. */
function addAll(sum: Map<string, Float32Array>, more: ReadonlyMap<string, Float32Array>): void {
  for (const [name, slopes] of more) {
    const total = sum.get(name);
    if (!total) sum.set(name, Float32Array.from(slopes));
    else for (let place = 0; place < total.length; place++) total[place]! += slopes[place]!;
  }
}
