/**
 * The small networks that a policy can be: two by name, any other from an `.onnx` file. Every other name is a model's.
 */
import { onnxReads } from '@emac/small-networks';

export interface SmallNetwork {
  /** the environment's arrays, or its picture; for a file, read from it. Errors: `missing`, `io`, `data` */
  readonly reads: 'arrays' | 'frame';
  /** the file that it is; null for one of ours */
  readonly file: string | null;
}

const named = new Map<string, SmallNetwork>([
  ['mlp', { reads: 'arrays', file: null }],
  ['cnn', { reads: 'frame', file: null }],
]);

/** The words. */
export const smallNetworks: readonly string[] = [...named.keys()];

type Named = { readonly policy: string };

/** The network of a name; null for a model. */
export function smallNetworkOf({ policy }: Named): SmallNetwork | null {
  const found = named.get(policy) ?? null;
  return found ?? (policy.endsWith('.onnx') ? inFile(policy) : null);
}

function inFile(file: string): SmallNetwork {
  return {
    file,
    get reads() {
      return onnxReads(file);
    },
  };
}
