/**
 * Language models whose layers see a window or everything in turn (Gemma 3, arXiv 2503.19786): masks and rotary angles of each layer.
 * In a network that stands for every layer an input of the graph says what its layer sees.
 */
import { op, type Feeds, type Tensor } from '@emac/graph';

import type { LlamaConfig } from '../files/model-config.ts';
import { windowOf, type Window } from './attention-bias.ts';
import { rotation, type Rotation } from './rotary-tables.ts';

type Kinds = Pick<LlamaConfig, 'slidingWindow' | 'windowLayers'>;

/** Masks of a language model: of all layers, or of those that see everything and those with a window. */
export interface Masks {
  readonly mask: Tensor;
  readonly windowMask?: Tensor;
}

/** Both from one rule for positions int64 [B, S]. */
export function masksOf(config: Kinds, positions: Tensor, make: (window?: Window) => Tensor): Masks {
  const window = windowOf(config, positions);
  return config.windowLayers ? { mask: make(), windowMask: make(window) } : { mask: make(window) };
}

/** The mask of a layer. */
export function maskOf(
  { windowLayers }: Kinds,
  { mask, windowMask }: Partial<Masks>,
  layer: number,
): Tensor | undefined {
  if (!windowLayers || !windowMask || !mask) return mask;
  return chosen(windowLayers, layer, { window: windowMask, whole: mask });
}

/** The rotation of each layer. */
export function rotations(config: LlamaConfig, positionIds: Tensor): (layer: number) => Rotation {
  const { windowLayers, windowRopeTheta, ropeScaling: _, ...plain } = config;
  const whole = rotation(config, positionIds);
  if (!windowLayers || windowRopeTheta === undefined) return () => whole;
  const window = rotation({ ...plain, ropeTheta: windowRopeTheta }, positionIds);
  const pick = (part: 'cos' | 'sin', layer: number) =>
    chosen(windowLayers, layer, { window: window[part], whole: whole[part] });
  return (layer) => ({ ...whole, cos: pick('cos', layer), sin: pick('sin', layer) });
}

function chosen(
  windowLayers: NonNullable<LlamaConfig['windowLayers']>,
  layer: number,
  { window, whole }: { readonly window: Tensor; readonly whole: Tensor },
): Tensor {
  if (windowLayers !== 'fed') return windowLayers[layer] ? window : whole;
  const { graph } = whole;
  const name = kindName(layer);
  const isWindow = graph.memo(name, () =>
    op.equal(graph.input(name, 'int64', [1]), graph.scalar(1, 'int64')),
  );
  return op.where(isWindow, window, whole);
}

/** Name of an input int64 [1]: 1 where the layer has a window, else 0. */
const kindName = (layer: number): string => `window_${layer}`;

/** What each layer sees, as inputs of networks that stand for every layer. */
export function kindFeeds({ windowLayers = [] }: Kinds): Feeds {
  if (windowLayers === 'fed') return {};
  return Object.fromEntries(
    windowLayers.map((isWindow, layer) => [
      kindName(layer),
      { type: 'int64' as const, shape: [1], data: BigInt64Array.of(isWindow ? 1n : 0n) },
    ]),
  );
}

/** The same of one layer, under the names of layer `as`. */
export function kindFeedsOfLayer(feeds: Feeds, layer: number, as: number): Feeds {
  const own = feeds[kindName(layer)];
  return own ? { [kindName(as)]: own } : {};
}
