/** The small networks that a policy can be, by their names; every other name is that of a model. */

export interface SmallNetwork {
  /** of an environment: its arrays, or its picture */
  readonly reads: 'arrays' | 'frame';
}

const smallNetworks = new Map<string, SmallNetwork>([
  ['mlp', { reads: 'arrays' }],
  ['cnn', { reads: 'frame' }],
]);

type Named = { readonly policy: string };

/** The network of a name; null for a model. */
export function smallNetworkOf({ policy }: Named): SmallNetwork | null {
  return smallNetworks.get(policy) ?? null;
}

/** The folder or word of a model, which reads pictures and words; null for a small network. */
export function modelOf({ policy }: Named): string | null {
  return smallNetworks.has(policy) ? null : policy;
}
