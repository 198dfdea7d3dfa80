/** Gradients are scaled down, so their joint direction stays. */

/**
 * Scales gradients in place so that their joint Euclidean norm is at most `limit` (null: never); returns the original norm.
 *
 * Departs from `torch.nn.utils.clip_grad_norm_`, whose factor is min(1, limit / (norm + 1e-6)). Here a norm above the limit becomes the
 * limit itself. PyTorch's stays below it by a share of 1e-6 / norm (1e-4 for a limit of 0.01), and it also shrinks a norm within 1e-6 of
 * the limit.
 */
export function clipGradients(gradients: ReadonlyMap<string, Float32Array>, limit: number | null): number {
  let squares = 0;
  // by index: an iterator of millions of numbers takes several times as long
  for (const gradient of gradients.values())
    for (let i = 0; i < gradient.length; i++) squares += gradient[i]! * gradient[i]!;
  const norm = Math.sqrt(squares);
  if (limit !== null && norm > limit)
    for (const gradient of gradients.values()) {
      const factor = limit / norm;
      for (let i = 0; i < gradient.length; i++) gradient[i]! *= factor;
    }
  return norm;
}
