/** Streams weights from files into runs: while one layer computes, the next one's weights are read. */
import type { Feeds, Graph, KeptValue, Session, SessionOptions, Value } from '@emac/graph';

import type { ModelFiles } from '../files/model-files.ts';
import { inLayer, isFedWeight } from './fed-weights.ts';

/** Options of sessions whose weights change from run to run: nothing of the weights is kept. */
export const streamedSessions: SessionOptions = { foldConstants: false, planMemory: false };

/** One layer's turn. */
export interface LayerRun {
  readonly layer: number;
  /** the graph to run, and the layer in its input names */
  readonly graph: Graph;
  readonly from: number;
  readonly run: (weights: Feeds) => Promise<void>;
}

export interface WeightSource {
  readonly files: ModelFiles;
  /** where the weights are needed */
  readonly session: Session;
}

/** Runs layers in order, each with its weights; the weights are released afterwards. */
export async function streamWeights(source: WeightSource, runs: readonly LayerRun[]): Promise<void> {
  const load = (next: LayerRun | undefined) => {
    const loading = next && loadWeights(source, next);
    // errors are reported when it is awaited
    loading?.catch(() => undefined);
    return loading;
  };
  const release = (weights: Feeds) =>
    source.session.release(Object.values(weights).filter((value): value is KeptValue => 'kept' in value));
  let next = load(runs[0]);
  try {
    for (const [index, { run }] of runs.entries()) {
      const weights = await next!;
      next = load(runs[index + 1]);
      try {
        await run(weights);
      } finally {
        release(weights);
      }
    }
  } catch (error) {
    next?.then(release, () => undefined);
    throw error;
  }
}

async function loadWeights(source: WeightSource, { graph, from, layer }: LayerRun): Promise<Feeds> {
  const names = graph.inputs.map(({ name }) => name).filter(isFedWeight);
  const weights = names.map(async (name): Promise<[string, Value | KeptValue]> => [
    name,
    await loadWeight(source, inLayer(name, from, layer)),
  ]);
  return Object.fromEntries(await Promise.all(weights));
}

async function loadWeight({ files, session }: WeightSource, name: string): Promise<Value | KeptValue> {
  const place = files.locate(name);
  if (!place) return { type: 'float32', ...files.read(name) };
  const types = { F32: 'float32', F16: 'float16', BF16: 'bfloat16', I8: 'int8' } as const;
  const { shape, path: file, offset, length } = place;
  return session.load({ type: types[place.dtype as keyof typeof types], shape, file, offset, length });
}
