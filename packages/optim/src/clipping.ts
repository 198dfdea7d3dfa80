/** Gradients are shortened, not cut: their joint direction stays. */

/** Scales gradients in place so that their joint Euclidean norm is at most `limit` (null: never); returns the norm found. */
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
