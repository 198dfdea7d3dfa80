/**
 * Where a network's builder gets its parameters: by Hugging Face tensor name, as float32 graph tensors. The
 * same builder works with weights of a model's files and with graph inputs that someone else trains.
 */
import type { Tensor } from '@emac/graph';

export type Weights = (name: string) => Tensor;
