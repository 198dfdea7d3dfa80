/** Gradients are shortened, not cut: their joint direction stays. */

/**
 * Scales gradients in place so that their joint Euclidean norm is at most `limit` (null: never); returns the norm found.
 *
 * Departs from `torch.nn.utils.clip_grad_norm_`, whose factor is min(1, limit / (norm + 1e-6)): here a norm above the limit becomes the
 * limit itself, there it stays below it by 1e-6 / norm of it (1e-4 for a limit of 0.01), and a norm within 1e-6 of the limit shrinks too.
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
