/**
 * Compiled graphs in ONNX Runtime. Sessions live in a worker thread because a run blocks its thread; results come
 * back as transferred buffers. Sessions created together share one worker: an output that one of them keeps there
 * is a feed for the others without crossing threads (a prompt's keys and values, for every step of generation).
 * `thread: 'main'` keeps sessions here, for programs that do nothing else meanwhile.
 */
import { realpathSync } from 'node:fs';
import { EmacError } from '@emac/core';
import type { Graph } from './graph.ts';
import { encodeModel } from './onnx.ts';
import { creationError, onnxOptions, type Provider } from './session-provider.ts';
import { mainThread, workerThread, type SessionThread } from './session-thread.ts';
import { checkFeed, type Feeds, type KeptValue, type Value } from './session-value.ts';

export type { Value } from './session-value.ts';

export interface SessionOptions {
  /** default `cpu` */
  readonly provider?: Provider;
  /** threads inside one run; default: all cores */
  readonly threads?: number;
  /** default `worker` */
  readonly thread?: 'worker' | 'main';
}

export interface Session {
  readonly provider: Provider;
  /** Runs the graph; feeds name every input, results every output. Errors: `internal`. */
  run(feeds: Feeds): Promise<Record<string, Value>>;
  /** Runs the graph and keeps the named outputs where the session lives, until they are released. */
  runKeeping(feeds: Feeds, keep: readonly string[]): Promise<KeepingRun>;
  /** Gives up kept values; runs that were called with them before still have them. */
  release(kept: Iterable<KeptValue>): void;
  /** Ends the session, and the thread with the last session in it. Runs under way are rejected. */
  dispose(): Promise<void>;
}

export interface KeepingRun {
  /** the outputs that were not kept */
  readonly values: Record<string, Value>;
  readonly kept: Record<string, KeptValue>;
}

/** Compiles a graph. Errors: `unavailable` when the provider is not there, `internal` when the graph is refused. */
export async function createSession(graph: Graph, options: SessionOptions = {}): Promise<Session> {
  return (await createSessions({ graph }, options)).graph;
}

/** Compiles graphs into one thread, where they share kept values. Errors: as `createSession`; then none is left open. */
export async function createSessions<Name extends string>(
  graphs: Readonly<Record<Name, Graph>>,
  options: SessionOptions = {},
): Promise<Record<Name, Session>> {
  const provider = options.provider ?? 'cpu';
  const thread = options.thread === 'main' ? await mainThread() : workerThread();
  const named = Object.entries<Graph>(graphs);
  try {
    for (const [id, [, graph]] of named.entries())
      await thread.create(id, encodeModel(resolvedFiles(graph)), onnxOptions(provider, options.threads));
  } catch (error) {
    await thread.end();
    throw creationError(provider, error);
  }
  const group: Group = { thread, provider, open: new Set(named.keys()), kept: new WeakSet() };
  return Object.fromEntries(named.map(([name, graph], id) => [name, sessionOf(group, id, graph)])) as Record<
    Name,
    Session
  >;
}

interface Group {
  readonly thread: SessionThread;
  readonly provider: Provider;
  /** sessions that are not disposed */
  readonly open: Set<number>;
  readonly kept: WeakSet<KeptValue>;
}

function sessionOf(group: Group, id: number, graph: Graph): Session {
  const { thread, provider, open } = group;
  const runKeeping = async (feeds: Feeds, keep: readonly string[]): Promise<KeepingRun> => {
    if (!open.has(id)) throw new EmacError('internal', 'Session.run: the session is disposed');
    checkRun(group, graph, { feeds, keep });
    return separated(group, await thread.run(id, feeds, keep));
  };
  return {
    provider,
    runKeeping,
    run: async (feeds) => (await runKeeping(feeds, [])).values,
    release: (values) => {
      const known = [...values].filter((value) => group.kept.delete(value));
      // a thread that has ended holds nothing any more
      if (known.length > 0) void thread.forget(known.map(({ kept }) => kept)).catch(() => undefined);
    },
    dispose: async () => {
      if (!open.delete(id)) return;
      // ending the thread cuts short a release that is under way, which is as good
      if (open.size > 0) await thread.release(id).catch(() => undefined);
      else await thread.end();
    },
  };
}

function checkRun(
  group: Group,
  graph: Graph,
  { feeds, keep }: { feeds: Feeds; keep: readonly string[] },
): void {
  for (const input of graph.inputs) checkFeed(input, feeds[input.name]);
  for (const [name, value] of Object.entries(feeds))
    if ('kept' in value && !group.kept.has(value))
      throw new EmacError(
        'internal',
        `Session.run: input "${name}" is a kept value that was released or belongs to other sessions`,
      );
  const unknown = keep.find((name) => !graph.outputs.has(name));
  if (unknown !== undefined)
    throw new EmacError('internal', `Session.runKeeping: the graph has no output "${unknown}"`);
}

function separated(group: Group, results: Readonly<Record<string, Value | KeptValue>>): KeepingRun {
  const values: Record<string, Value> = {};
  const kept: Record<string, KeptValue> = {};
  for (const [name, result] of Object.entries(results)) {
    if (!('kept' in result)) values[name] = result;
    else {
      kept[name] = result;
      group.kept.add(result);
    }
  }
  return { values, kept };
}

/** ONNX Runtime refuses symbolic links in weight paths, so files are named by their real paths. */
function resolvedFiles(graph: Graph): Graph {
  for (const [name, initializer] of graph.initializers) {
    const { data, tensor } = initializer;
    if (!ArrayBuffer.isView(data))
      graph.initializers.set(name, { tensor, data: { ...data, file: realpathSync(data.file) } });
  }
  return graph;
}
