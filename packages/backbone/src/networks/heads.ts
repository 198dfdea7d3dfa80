/** Between rows of width H·d and one matrix per attention head. */
import { op, type Tensor } from '@emac/graph';

/** [B, S, H·d] → [B, H, S, d]. */
export function splitHeads(x: Tensor, heads: number): Tensor {
  const [batch, length, width] = x.shape;
  const headSize = (width as number) / heads;
  return op.transpose(op.reshape(x, [batch!, length!, heads, headSize]), [0, 2, 1, 3]);
}

/** [B, H, S, d] → [B, S, H·d]. */
export function mergeHeads(x: Tensor): Tensor {
  const [batch, heads, length, headSize] = x.shape;
  const width = (heads as number) * (headSize as number);
  return op.reshape(op.transpose(x, [0, 2, 1, 3]), [batch!, length!, width]);
}
