/**
 * Attention masks for rows [visual][prompt][chosen][rejected] that share one prompt (Wang & Hegde, arXiv 2410.20305). A
 * row's segments label each position: −1 padding, 0 visual or prompt, 1, 2, … one response each. A response sees the
 * prompt and itself, never another response.
 */
import { op, type Tensor } from '@emac/graph';

/** Far below any score, and far from overflow when a score is added. */
export const hiddenScore = -1e30;

/** A position sees `size` of them, its own included. */
export interface Window {
  /** int64 [B, S] */
  readonly positions: Tensor;
  readonly size: number;
}

/** The window of a language model's configuration; none if every position sees all before it. */
export function windowOf(
  { slidingWindow }: { readonly slidingWindow?: number },
  positions: Tensor,
): Window | undefined {
  return slidingWindow === undefined ? undefined : { positions, size: slidingWindow };
}

/** bool [B, 1, S, S]: true where position i is less than the window's size after j. */
export function withinWindow({ positions, size }: Window): Tensor {
  const [batch, length] = positions.shape;
  const from = op.reshape(positions, [batch!, 1, length!, 1]);
  const to = op.reshape(positions, [batch!, 1, 1, length!]);
  return op.less(op.subtract(from, to), positions.graph.scalar(size, 'int64'));
}

/**
 * segments int64 [B, S] → [B, 1, S, S], 0 where position i sees j, else −1e30. i sees j if j ≤ i, j is not padding, j is in the
 * prompt or in i's segment, and j is in i's window, if any. Every position sees itself, so that padding rows hold numbers.
 */
export function attentionBias(segments: Tensor, window?: Window): Tensor {
  const { graph } = segments;
  const [batch, length] = segments.shape;
  const index = op.range(segments, 1);
  const rows = op.reshape(index, [1, 1, length!, 1]);
  const columns = op.reshape(index, [1, 1, 1, length!]);
  const from = op.reshape(segments, [batch!, 1, length!, 1]);
  const to = op.reshape(segments, [batch!, 1, 1, length!]);
  const zero = graph.scalar(0, 'int64');
  const sharing = op.or(op.equal(to, zero), op.and(op.equal(to, from), op.lessOrEqual(zero, to)));
  const shares = window ? op.and(sharing, withinWindow(window)) : sharing;
  const visible = op.or(op.and(shares, op.lessOrEqual(columns, rows)), op.equal(columns, rows));
  return op.where(visible, graph.scalar(0), graph.scalar(hiddenScore));
}
