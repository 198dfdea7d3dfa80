/**
 * Adapters held on the generation sessions' device: transferred once for all prompts that use them, and kept until
 * other adapters replace them. Without this, copies would dominate steps of one token.
 */
import { Graph, type Feeds, type KeptValue, type Session } from '@emac/graph';

import { adapterNames, type AdapterForm } from '../networks/adapter.ts';
import {
  adaptedModules,
  adapterFeeds,
  projectionWidths,
  type AdapterValues,
} from '../networks/adapter-feeds.ts';
import type { LlamaConfig } from '../files/model-config.ts';

export interface HeldAdapter {
  readonly feeds: Promise<Feeds>;
  /** declares that no further run needs the feeds */
  release(): void;
}

export interface HeldAdapters {
  /** The feeds of an adapter, or of the base alone. */
  take(values: AdapterValues | null): HeldAdapter;
}

/** Unused adapters that stay: a policy's, and its reference's. */
const idle = 2;

const held = (name: string) => `held.${name}`;

/** A graph that returns its inputs, so that a session can keep them. */
export function holdingGraph(config: LlamaConfig, form: AdapterForm): Graph {
  const graph = new Graph();
  const type = 'float32';
  for (const module of adaptedModules(config.layers, form)) {
    const { inWidth, outWidth } = projectionWidths(config, module);
    const shapes = [
      [adapterNames.a(module), ['rank', inWidth]],
      [adapterNames.b(module), [outWidth, 'rank']],
    ] as const;
    for (const [name, shape] of shapes) {
      const value = graph.input(name, type, shape);
      graph.output(held(name), graph.node('Identity', [value], { type, shape }));
    }
  }
  return graph;
}

interface Entry {
  readonly kept: Promise<Record<string, KeptValue>>;
  readonly feeds: Promise<Feeds>;
  users: number;
}

/** Holds A and B in a session of `holdingGraph`; the scale is fed in each run. */
export function heldAdapters(
  session: Pick<Session, 'runKeeping' | 'release'>,
  { config, form }: { readonly config: LlamaConfig; readonly form: AdapterForm },
): HeldAdapters {
  const base = {};
  // the most recently used one is last
  const entries = new Map<object, Entry>();
  const give = (key: object, entry: Entry): void => {
    entries.delete(key);
    void entry.kept.then((kept) => session.release(Object.values(kept))).catch(() => undefined);
  };
  const opened = (values: AdapterValues | null): Entry => {
    const { [adapterNames.scale]: scale, ...numbers } = adapterFeeds(config, form, values);
    const kept = session
      .runKeeping(numbers, Object.keys(numbers).map(held))
      .then(({ kept: outputs }) =>
        Object.fromEntries(Object.keys(numbers).map((name) => [name, outputs[held(name)]!])),
      );
    return { kept, feeds: kept.then((each) => ({ ...each, [adapterNames.scale]: scale! })), users: 0 };
  };
  return {
    take: (values) => {
      const key = values ?? base;
      const entry = entries.get(key) ?? opened(values);
      entries.delete(key);
      entries.set(key, entry);
      entry.users++;
      entry.kept.catch(() => entries.delete(key));
      return {
        feeds: entry.feeds,
        release: () => {
          entry.users--;
          const unused = [...entries].filter(([, { users }]) => users === 0);
          for (const [other, each] of unused.slice(0, -idle)) give(other, each);
        },
      };
    },
  };
}
