/** The rows of the embedding table that some tokens need, read from the file without the rest of the table. */
import type { Value } from '@emac/graph';

import type { ModelFiles } from '../files/model-files.ts';
import { tensorRows } from '../files/tensor-rows.ts';
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
  tensorRows(files, embeddingTable, rows).forEach((row, place) => data.set(row, place * width));
  return {
    table: { type: 'float32', shape: [places.size, width], data },
    tokens: { ...tokens, data: ids.map((id) => places.get(id)!) },
  };
}
