/**
 * Compiled graphs in ONNX Runtime. Sessions live in a worker thread because a run blocks its thread; results come
 * back as transferred buffers. An output that a session keeps there is a feed for the sessions created together with
 * it, without crossing threads (a prompt's keys and values, for every step of generation).
 * `thread: 'main'` keeps sessions here, for programs that do nothing else meanwhile.
 */
import { realpathSync } from 'node:fs';
import { EmacError, messageOf } from '@emac/core';
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
  /** Ends the session, after runs under way; the worker thread ends with the last session in it. */
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
  const inWorker = options.thread !== 'main';
  const thread = inWorker ? workerThread() : await mainThread();
  const settings = onnxOptions(provider, { threads: options.threads, flushDenormals: inWorker });
  const group: Group = { thread, provider, open: new Set(), kept: new Set() };
  const sessions: [string, Session][] = [];
  try {
    for (const [name, graph] of Object.entries<Graph>(graphs)) {
      const id = sessionCount++;
      await thread.create(id, encodeModel(resolvedFiles(graph)), settings);
      group.open.add(id);
      sessions.push([name, sessionOf(group, id, graph)]);
    }
  } catch (error) {
    await Promise.all([...group.open].map((id) => thread.release(id).catch(() => undefined)));
    await thread.leave();
    throw creationError(provider, error);
  }
  return Object.fromEntries(sessions) as Record<Name, Session>;
}

/** Numbers of sessions are never used again. */
let sessionCount = 0;

interface Group {
  readonly thread: SessionThread;
  readonly provider: Provider;
  /** sessions that are not disposed */
  readonly open: Set<number>;
  readonly kept: Set<KeptValue>;
}

function sessionOf(group: Group, id: number, graph: Graph): Session {
  const { thread, provider, open } = group;
  const runKeeping = async (feeds: Feeds, keep: readonly string[]): Promise<KeepingRun> => {
    if (!open.has(id)) throw new EmacError('internal', 'Session.run: the session is disposed');
    checkRun(group, graph, { feeds, keep });
    const run = separated(group, await thread.run(id, feeds, keep).catch(rethrow));
    if (open.size === 0) forget(group, group.kept);
    return run;
  };
  return {
    provider,
    runKeeping,
    run: async (feeds) => (await runKeeping(feeds, [])).values,
    release: (values) => forget(group, values),
    dispose: async () => {
      if (!open.delete(id)) return;
      const isLast = open.size === 0;
      if (isLast) forget(group, group.kept);
      // a thread that has ended holds nothing any more
      await thread.release(id).catch(() => undefined);
      if (isLast) await thread.leave();
    },
  };
}

function rethrow(thrown: unknown): never {
  if (thrown instanceof EmacError) throw thrown;
  throw new EmacError('internal', `ONNX Runtime: ${messageOf(thrown)}`, { cause: thrown });
}

function forget({ thread, kept }: Group, values: Iterable<KeptValue>): void {
  const known = [...values].filter((value) => kept.delete(value));
  if (known.length > 0) void thread.forget(known.map((value) => value.kept)).catch(() => undefined);
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
