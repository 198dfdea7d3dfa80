/** Keys and values of prompts that were read one by one, as one block for the steps after them. */
import { addDimensions, Graph, type Feeds, type KeptValue } from '@emac/graph';

import type { LlamaConfig } from '../files/model-config.ts';
import { integers } from './prompts/integers.ts';
import type { KeptState } from './prompts/context-memory.ts';
import type { ReadingSession } from './reading-session.ts';

/**
 * `one_key_l` [A, Hkv, P, d] and `other_key_l` [B, Hkv, R, d], lengthened at the end by `one_pads` and `other_pads` int64 [2], zeros before
 * and after → `key_l` [A + B, Hkv, S, d]; the same for values.
 */
export function joinGraph({ layers, keyValueHeads, headSize }: LlamaConfig): Graph {
  const graph = new Graph();
  const axis = graph.integers([2]);
  const part = (side: string, count: string, name: string) => {
    const shape = (length: string) => [count, keyValueHeads, length, headSize];
    const given = graph.input(`${side}_${name}`, 'float32', shape(side === 'one' ? 'P' : 'R'));
    const inputs = [given, pads[side as 'one' | 'other'], graph.scalar(0), axis];
    return graph.node('Pad', inputs, { type: 'float32', shape: shape('S') });
  };
  const pads = {
    one: graph.input('one_pads', 'int64', [2]),
    other: graph.input('other_pads', 'int64', [2]),
  };
  for (let layer = 0; layer < layers; layer++)
    for (const name of [`key_${layer}`, `value_${layer}`]) {
      const parts = [part('one', 'A', name), part('other', 'B', name)];
      const shape = [addDimensions('A', 'B'), keyValueHeads, 'S', headSize];
      graph.output(
        name,
        graph.node('Concat', parts, { type: 'float32', shape }, { attributes: { axis: 0 } }),
      );
    }
  return graph;
}

/** All states in their order, in one, and released. */
export async function joinedStates(
  session: ReadingSession,
  states: readonly KeptState[],
): Promise<Record<string, KeptValue>> {
  let [current, next]: [KeptState[], KeptState[]] = [[...states], []];
  try {
    while (current.length > 1) {
      const [one, other] = current as [KeptState, KeptState];
      const joined = await joinedPair(session, one, other);
      for (const state of current.splice(0, 2)) session.release(Object.values(state));
      next.push(joined);
      if (current.length > 1) continue;
      [current, next] = [[...next, ...current], []];
    }
  } catch (error) {
    for (const state of [...current, ...next]) session.release(Object.values(state));
    throw error;
  }
  return current[0]!;
}

async function joinedPair(session: ReadingSession, one: KeptState, other: KeptState): Promise<KeptState> {
  const [length, otherLength] = [one, other].map(lengthOf) as [number, number];
  const longest = Math.max(length, otherLength);
  const feeds: Feeds = {
    ...named('one_', one),
    ...named('other_', other),
    one_pads: integers([0, longest - length], [2]),
    other_pads: integers([0, longest - otherLength], [2]),
  };
  return (await session.runKeeping(feeds, Object.keys(one))).kept;
}

function lengthOf(state: KeptState): number {
  return Object.values(state)[0]!.shape[2]!;
}

function named(prefix: string, values: Feeds): Feeds {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [`${prefix}${name}`, value]));
}
