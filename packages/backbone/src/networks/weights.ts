/**
 * Where a network's builder gets its parameters: by Hugging Face tensor name, as float32 graph tensors. The same
 * builder works with a model's files and with graph inputs that are trained elsewhere.
 */
import type { Tensor } from '@emac/graph';

export type Weights = (name: string) => Tensor;
