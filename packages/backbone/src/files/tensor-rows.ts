/** Some rows of a tensor as wide as the language model, read from the file without the rest. */
import { bfloat16ToFloat32, float16ToFloat32, withReader } from '@emac/files';

import type { ModelFiles } from './model-files.ts';
import type { TensorPlace } from './tensor-table.ts';

/** Rows [D] of a tensor [rows, D], or of a tensor [D], as float32. Errors: `data` for an unknown tensor. */
export function tensorRows(
  files: Pick<ModelFiles, 'locate' | 'read' | 'config'>,
  name: string,
  rows: readonly number[],
): Float32Array[] {
  const width = files.config.llama.hiddenSize;
  const place = files.locate(name);
  if (!place) {
    const { data } = files.read(name);
    return rows.map((row) => data.subarray(row * width, (row + 1) * width));
  }
  const count = place.shape.reduce((product, each) => product * each, 1) / width;
  const length = place.length / count;
  return withReader(place.path, (reader) =>
    rows.map((row) => widened(place, reader.read({ offset: place.offset + row * length, length }))),
  );
}

function widened({ dtype }: TensorPlace, { buffer }: Uint8Array<ArrayBuffer>): Float32Array {
  if (dtype === 'F16') return float16ToFloat32(new Uint16Array(buffer));
  if (dtype === 'BF16') return bfloat16ToFloat32(new Uint16Array(buffer));
  return new Float32Array(buffer);
}
