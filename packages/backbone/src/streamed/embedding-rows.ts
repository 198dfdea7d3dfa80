/** The rows of the embedding table that some tokens need, read from the file without the rest of the table. */
import { bfloat16ToFloat32, float16ToFloat32, withReader } from '@emac/files';
import type { Value } from '@emac/graph';

import type { ModelFiles } from '../files/model-files.ts';
import type { TensorPlace } from '../files/tensor-table.ts';
import { embeddingTable } from './fed-weights.ts';

export interface EmbeddingRows {
  /** float32 [E, D] */
  readonly table: Value;
  /** the tokens as rows of `table`, in their original shape */
  readonly tokens: Value;
}

export function embeddingRows(files: ModelFiles, tokens: Value): EmbeddingRows {
  const places = new Map<bigint, bigint>();
  const ids = tokens.data as BigInt64Array;
  for (const id of ids) if (!places.has(id)) places.set(id, BigInt(places.size));
  const width = files.config.llama.hiddenSize;
  const data = new Float32Array(places.size * width);
  const rows = [...places.keys()].map(Number);
  readRows(files, rows).forEach((row, place) => data.set(row, place * width));
  return {
    table: { type: 'float32', shape: [places.size, width], data },
    tokens: { ...tokens, data: ids.map((id) => places.get(id)!) },
  };
}

function readRows(files: ModelFiles, rows: readonly number[]): Float32Array[] {
  const width = files.config.llama.hiddenSize;
  const place = files.locate(embeddingTable);
  if (!place) {
    const { data } = files.read(embeddingTable);
    return rows.map((row) => data.subarray(row * width, (row + 1) * width));
  }
  const length = place.length / place.shape[0]!;
  return withReader(place.path, (reader) =>
    rows.map((row) => widened(place, reader.read({ offset: place.offset + row * length, length }))),
  );
}

function widened({ dtype }: TensorPlace, { buffer }: Uint8Array<ArrayBuffer>): Float32Array {
  if (dtype === 'F16') return float16ToFloat32(new Uint16Array(buffer));
  if (dtype === 'BF16') return bfloat16ToFloat32(new Uint16Array(buffer));
  return new Float32Array(buffer);
}
