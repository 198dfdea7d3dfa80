/** The vision encoder layer by layer: the vision model's layers in order, then the Q-Former. */
import {
  createSessions,
  segment,
  type Feeds,
  type KeptValue,
  type Session,
  type SessionOptions,
  type Value,
} from '@emac/graph';

import type { InstructBlipConfig } from '../files/model-config.ts';
import type { ModelFiles } from '../files/model-files.ts';
import { featureGraph } from '../networks/feature-graph.ts';
import { checkAlike, twoLayerEye } from './fed-weights.ts';
import { layerInput } from './layer-input.ts';
import { feedsOf } from './layered-run.ts';
import { streamedSessions, streamWeights, type LayerRun } from './weight-stream.ts';

/** A session like that of `featureGraph`. Errors: those of `createSessions`; `data` if layers are stored in different types. */
export async function createLayeredEye(
  files: ModelFiles<InstructBlipConfig>,
  text: { readonly text: boolean },
  options: SessionOptions,
): Promise<Pick<Session, 'run' | 'dispose'>> {
  checkAlike(files);
  const graph = featureGraph(twoLayerEye(files), text);
  const [first, second] = [layerInput(graph, 0, 'vision'), layerInput(graph, 1, 'vision')];
  const graphs = {
    start: segment(graph, { inputs: {}, outputs: { next_hidden: first } }),
    middle: segment(graph, { inputs: { hidden: first }, outputs: { next_hidden: second } }),
    end: segment(graph, { inputs: { hidden: second }, outputs: Object.fromEntries(graph.outputs) }),
  };
  const sessions = await createSessions(graphs, {
    ...options,
    ...streamedSessions,
    returnMemory: ['start', 'end'],
  });
  const last = files.config.vision.layers - 1;
  const part = (name: keyof typeof graphs, layer: number): Omit<LayerRun, 'run'> & { name: typeof name } => ({
    name,
    layer,
    graph: graphs[name],
    from: name === 'end' ? 1 : 0,
  });
  const middle = Array.from({ length: last }, (_, layer) => part('middle', layer));
  const parts = [part('start', 0), ...middle, part('end', last)];
  return {
    run: async (feeds) => {
      let hidden: KeptValue | undefined;
      let results: Record<string, Value> = {};
      const runs = parts.map((each) => ({
        ...each,
        run: async (weights: Feeds) => {
          const inputs = feedsOf(each.graph, { ...feeds, ...weights, ...(hidden && { hidden }) });
          const keep = each.name === 'end' ? [] : ['next_hidden'];
          const run = await sessions[each.name].runKeeping(inputs, keep);
          if (hidden) sessions.start.release([hidden]);
          hidden = run.kept['next_hidden'];
          results = run.values;
        },
      }));
      await streamWeights({ files, session: sessions.start }, runs);
      return results;
    },
    dispose: async () => {
      await Promise.all(Object.values(sessions).map((session) => session.dispose()));
    },
  };
}
