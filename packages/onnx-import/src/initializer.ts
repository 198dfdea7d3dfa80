/** Stored weights as tensors of a graph. */
import { op, type DataType, type Graph, type Tensor } from '@emac/graph';
import { floatValues, integerValues, type StoredTensor } from './stored-tensor.ts';

/** Below this many bytes the graph holds a copy instead of a reference to a file. */
const smallBytes = 1 << 16;

const storedTypes: Readonly<Record<string, DataType>> = {
  float: 'float32',
  float16: 'float16',
  bfloat16: 'bfloat16',
  int32: 'int32',
  int64: 'int64',
  bool: 'bool',
};

/** Large weights are used in place from their file; half-precision ones are cast to float32 in a run. */
export function initializerTensor(stored: StoredTensor, graph: Graph): Tensor {
  const { element, shape, place } = stored;
  const type = storedTypes[element.name];
  if (place && type && (!stored.bytes || place.length >= smallBytes)) {
    const name = freeName(stored.name, graph);
    return op.cast(graph.external(name, type, { shape, ...place }), element.type);
  }
  const data = element.type === 'float32' ? floatValues(stored) : integerValues(stored);
  return op.cast(graph.constant(data, shape), element.type);
}

/** Two networks may use the same name for different weights. */
function freeName(name: string, graph: Graph): string {
  let free = name;
  for (let copy = 2; graph.initializers.has(free); copy++) free = `${name} (${copy})`;
  return free;
}
