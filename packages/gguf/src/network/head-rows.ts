/**
 * The order of rows of queries and keys. In a model folder a head of size d rotates row i with row i + d/2. In GGUF's
 * architecture `llama` these two are neighbours: rows 2i and 2i + 1 (convert_hf_to_gguf.py, `LlamaModel.permute`).
 */

/** One head's rows [d, width] from GGUF's order to a folder's. */
export function untangled(head: Float32Array, width: number): Float32Array<ArrayBuffer> {
  return moved(head, width, (row, half) => (row < half ? 2 * row : 2 * (row - half) + 1));
}

/** One head's rows [d, width] from a folder's order to GGUF's. */
export function tangled(head: Float32Array, width: number): Float32Array<ArrayBuffer> {
  return moved(head, width, (row, half) => (row >> 1) + (row & 1) * half);
}

function moved(
  head: Float32Array,
  width: number,
  from: (row: number, half: number) => number,
): Float32Array<ArrayBuffer> {
  const rows = head.length / width;
  const out = new Float32Array(head.length);
  for (let row = 0; row < rows; row++) {
    const source = from(row, rows / 2) * width;
    out.set(head.subarray(source, source + width), row * width);
  }
  return out;
}
