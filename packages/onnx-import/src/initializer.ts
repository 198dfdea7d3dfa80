/** Stored weights as tensors of a graph. */
import { op, type DataType, type Graph, type Tensor } from '@emac/graph';
import { floatValues, integerValues, type StoredTensor } from './stored-tensor.ts';

/** Below this many bytes a copy inside the graph is simpler than a place in a file. */
const smallBytes = 1 << 16;

const storedTypes: Readonly<Record<string, DataType>> = {
  float: 'float32',
  float16: 'float16',
  bfloat16: 'bfloat16',
  int32: 'int32',
  int64: 'int64',
  bool: 'bool',
};

/** Large weights are used where they lie in their file; half-precision ones are cast to float32 in a run. */
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

/** Two networks may use one name for different weights. */
function freeName(name: string, graph: Graph): string {
  let free = name;
  for (let copy = 2; graph.initializers.has(free); copy++) free = `${name} (${copy})`;
  return free;
}
