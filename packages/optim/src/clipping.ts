/** Gradients are shortened, not cut: their joint direction stays. */

/** Scales gradients in place so that their joint Euclidean norm is at most `limit` (null: never); returns the norm found. */
export function clipGradients(gradients: ReadonlyMap<string, Float32Array>, limit: number | null): number {
  let squares = 0;
  for (const gradient of gradients.values()) for (const value of gradient) squares += value * value;
  const norm = Math.sqrt(squares);
  if (limit !== null && norm > limit)
    for (const gradient of gradients.values()) {
      const factor = limit / norm;
      for (let i = 0; i < gradient.length; i++) gradient[i]! *= factor;
    }
  return norm;
}
