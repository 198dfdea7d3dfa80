/**
 * Loss and gradients of a graph with all weights as inputs, over a batch in parts. Single-threaded sessions compute the
 * parts in parallel; the result does not depend on the number of sessions.
 */
import { createSession, gradients, Graph, type Session, type Tensor, type Value } from '@emac/graph';
import type { Parameters } from './parameters.ts';

export interface Losses {
  /** the sum of the parts' `loss` */
  readonly loss: number;
  /** the sums of the parts' gradients */
  readonly gradients: ReadonlyMap<string, Float32Array>;
  /** another output of the graph, part by part */
  output(name: string): readonly Float32Array[];
}

export interface Trainer<Part> {
  run(parameters: Parameters, parts: readonly Part[]): Promise<Losses>;
  dispose(): Promise<void>;
}

export interface TrainedGraph<Part> {
  /** adds a part's inputs and its outputs, one named `loss`; returns the tensor to minimize */
  readonly build: (graph: Graph, weight: (name: string) => Tensor) => Tensor;
  readonly feeds: (part: Part) => Record<string, Value>;
  readonly sessions: number;
}

export async function trainerOf<Part>(
  parameters: Parameters,
  { build, feeds, sessions: count }: TrainedGraph<Part>,
): Promise<Trainer<Part>> {
  const graph = new Graph();
  const weights = new Map(
    [...parameters].map(([name, { shape }]) => [name, graph.input(name, 'float32', shape)]),
  );
  const names = [...weights.keys()];
  const loss = build(graph, (name) => weights.get(name)!);
  gradients([loss], [null], [...weights.values()]).forEach((gradient, index) =>
    graph.output(`gradient ${names[index]!}`, gradient),
  );
  const sessions: Session[] = [];
  while (sessions.length < count)
    sessions.push(
      await createSession(graph, { threads: 1, thread: sessions.length === 0 ? 'worker' : 'another' }),
    );
  return {
    async run(current, parts) {
      const held = Object.fromEntries(
        [...current].map(([name, { shape, data }]) => [name, floats(shape, data)]),
      );
      const results = await sideBySide(
        sessions,
        parts.map((part) => ({ ...held, ...feeds(part) })),
      );
      const output = (name: string) => results.map((result) => result[name]!.data as Float32Array);
      const total = output('loss').reduce((sum, [part]) => sum + part!, 0);
      return { loss: total, gradients: summed(names, output), output };
    },
    dispose: async () => void (await Promise.all(sessions.map((session) => session.dispose()))),
  };
}

/** One result for each part, in the order of the parts. */
async function sideBySide(sessions: readonly Session[], parts: readonly Readonly<Record<string, Value>>[]) {
  const waiting = [...parts.entries()];
  const results: Record<string, Value>[] = [];
  const work = async (session: Session) => {
    for (let next = waiting.shift(); next; next = waiting.shift())
      results[next[0]] = await session.run(next[1]);
  };
  await Promise.all(sessions.map(work));
  return results;
}

function summed(names: readonly string[], output: Losses['output']): Map<string, Float32Array> {
  return new Map(
    names.map((name) => {
      const [sum, ...others] = output(`gradient ${name}`) as [Float32Array, ...Float32Array[]];
      for (const other of others) for (let i = 0; i < sum.length; i++) sum[i]! += other[i]!;
      return [name, sum];
    }),
  );
}

export function floats(shape: readonly number[], data: Float32Array): Value {
  return { type: 'float32', shape, data };
}

export function integers(shape: readonly number[], data: BigInt64Array): Value {
  return { type: 'int64', shape, data };
}
