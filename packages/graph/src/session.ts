/**
 * Compiled graphs in ONNX Runtime. Sessions live in a worker thread because a run blocks its thread; results return as
 * transferred buffers. A kept output is a feed for the sessions created with it, without crossing threads (a prompt's
 * keys and values, for every step of generation). `thread: 'main'` keeps sessions here, for programs that do nothing
 * else meanwhile.
 */
import { realpathSync } from '@emac/platform';
import { EmacError, messageOf } from '@emac/core';
import { Graph } from './graph.ts';
import { compile } from './session-creation.ts';
import type { Provider } from './session-provider.ts';
import type { SessionThread } from './running-thread.ts';
import { anotherThread, mainThread, prepareRuntime, workerThread } from '#session-thread';
import { checkFeed, type Feeds, type KeptValue, type StoredValue, type Value } from './session-value.ts';

export type { StoredValue, Value } from './session-value.ts';

export interface SessionOptions {
  /** default `cpu` */
  readonly provider?: Provider;
  /** threads inside one run; default: all cores */
  readonly threads?: number;
  /** names of graphs whose weights are copied into the layout that is fastest for products of few rows; default none */
  readonly packWeights?: readonly string[];
  /** threads spin briefly for each other within a run, which speeds up many small operators; default false */
  readonly spin?: boolean;
  /**
   * names of outputs that every run keeps or skips (`runKeeping`): on `webgpu` they stay in GPU memory; other kept
   * values are copied out and in again
   */
  readonly kept?: readonly string[];
  /**
   * ONNX Runtime writes each node's time and device to `<profile><graph's name>_<time>.json` at the end (`nodesOnCpu`
   * reads it); a failed attempt to create a session leaves a file without nodes
   */
  readonly profile?: string;
  /** an open session; the new ones share its thread and kept values */
  readonly beside?: Session;
  /** values that depend on constants alone, such as cast weights, are computed once and kept; default true */
  readonly foldConstants?: boolean;
  /** memory for all values of a run is allocated at once, sized by the previous run; default true */
  readonly planMemory?: boolean;
  /** names of graphs that free their memory after every run; default none */
  readonly returnMemory?: readonly string[];
  /**
   * default `worker`, shared by all; `another` is a thread for these sessions alone, to run several small networks side
   * by side: open a session in the shared one before it
   */
  readonly thread?: 'worker' | 'main' | 'another';
}

export interface Session {
  readonly provider: Provider;
  /** Runs the graph; feeds contain every input, results every output. Errors: `internal`. */
  run(feeds: Feeds): Promise<Record<string, Value>>;
  /**
   * Runs the graph and keeps the named outputs on the session's device until they are released; those in `skip` are not
   * copied out at all.
   */
  runKeeping(feeds: Feeds, keep: readonly string[], skip?: readonly string[]): Promise<KeepingRun>;
  /**
   * Reads a value from its file into the session's memory while runs continue; bfloat16 becomes float32. Its memory is
   * reused after `release`. Errors: `io`.
   */
  load(stored: StoredValue): Promise<KeptValue>;
  /** Frees kept values; runs called before still have them. */
  release(kept: Iterable<KeptValue>): void;
  /** Ends the session after pending runs; the worker thread ends with its last session. */
  dispose(): Promise<void>;
}

export interface KeepingRun {
  /** outputs that were not kept */
  readonly values: Record<string, Value>;
  readonly kept: Record<string, KeptValue>;
}

/** Compiles a graph. Errors: `unavailable` if the provider is absent, `internal` if the graph is rejected. */
export async function createSession(graph: Graph, options: SessionOptions = {}): Promise<Session> {
  return (await createSessions({ graph }, options)).graph;
}

/** Compiles graphs into one thread, where they share kept values. Errors: as `createSession`; then none stays open. */
export async function createSessions<Name extends string>(
  graphs: Readonly<Record<Name, Graph>>,
  options: SessionOptions = {},
): Promise<Record<Name, Session>> {
  const provider = options.provider ?? 'cpu';
  const inWorker = options.thread !== 'main';
  const group = options.beside ? groups.get(options.beside)! : await newGroup(options);
  const { thread, onDevice } = group;
  const created = new Set<number>();
  const sessions: [string, Session][] = [];
  try {
    for (const [name, graph] of Object.entries<Graph>(graphs)) {
      const id = await compile(resolvedFiles(graph), {
        thread,
        provider,
        options: {
          threads: options.threads,
          spin: options.spin,
          flushDenormals: inWorker,
          packWeights: options.packWeights?.includes(name),
          foldConstants: options.foldConstants,
          planMemory: options.planMemory,
          returnMemory: options.returnMemory?.includes(name),
          onDevice: onDevice.filter((output) => graph.outputs.has(output)),
          profile: options.profile && `${options.profile}${name}`,
        },
      });
      group.open.add(id);
      created.add(id);
      const session = sessionOf(group, id, graph);
      groups.set(session, group);
      sessions.push([name, session]);
    }
  } catch (error) {
    for (const id of created) group.open.delete(id);
    await Promise.all([...created].map((id) => thread.release(id).catch(() => undefined)));
    if (group.open.size === 0) await thread.leave();
    throw error;
  }
  return Object.fromEntries(sessions) as Record<Name, Session>;
}

const groups = new WeakMap<Session, Group>();

async function newGroup(options: SessionOptions): Promise<Group> {
  const provider = options.provider ?? 'cpu';
  prepareRuntime(provider);
  return {
    thread: await threadOf(options, provider),
    provider,
    onDevice: provider === 'webgpu' ? (options.kept ?? []) : [],
    open: new Set(),
    kept: new Set(),
  };
}

function threadOf({ thread }: SessionOptions, provider: Provider): SessionThread | Promise<SessionThread> {
  if (thread === 'main') return mainThread(provider);
  return thread === 'another' ? anotherThread(provider) : workerThread(provider);
}

/** Whether the provider works here: its libraries and a device are found. */
export async function providerIsAvailable(provider: Provider): Promise<boolean> {
  const graph = new Graph();
  graph.output('y', graph.node('Neg', [graph.input('x', 'float32', [1])], { type: 'float32', shape: [1] }));
  try {
    await (await createSession(graph, { provider })).dispose();
    return true;
  } catch (error) {
    if (error instanceof EmacError && error.code === 'unavailable') return false;
    throw error;
  }
}

interface Group {
  readonly thread: SessionThread;
  readonly provider: Provider;
  /** outputs that stay in the GPU's memory */
  readonly onDevice: readonly string[];
  /** undisposed sessions */
  readonly open: Set<number>;
  readonly kept: Set<KeptValue>;
}

function sessionOf(group: Group, id: number, graph: Graph): Session {
  const { thread, provider, open } = group;
  const runKeeping: Session['runKeeping'] = async (feeds, keep, skip = []) => {
    if (!open.has(id)) throw new EmacError('internal', 'Session.run: the session is disposed');
    checkRun(group, graph, { feeds, keep, skip });
    const outputs = [...graph.outputs.keys()].filter((name) => !skip.includes(name));
    const run = separated(group, await thread.run(id, feeds, { outputs, keep }).catch(rethrow));
    if (open.size === 0) forget(group, group.kept);
    return run;
  };
  return {
    provider,
    runKeeping,
    run: async (feeds) => (await runKeeping(feeds, [])).values,
    load: async (stored) => {
      if (!open.has(id)) throw new EmacError('internal', 'Session.load: the session is disposed');
      const value = await thread.load(stored).catch((thrown: unknown) => {
        throw new EmacError('io', `${stored.file}: cannot be read (${messageOf(thrown)})`, { cause: thrown });
      });
      group.kept.add(value);
      if (open.size === 0) forget(group, [value]);
      return value;
    },
    release: (values) => forget(group, values),
    dispose: async () => {
      if (!open.delete(id)) return;
      const isLast = open.size === 0;
      if (isLast) forget(group, group.kept);
      // an ended thread holds nothing any more
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
  { feeds, keep, skip }: { feeds: Feeds; keep: readonly string[]; skip: readonly string[] },
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
  const asked = (name: string) => graph.outputs.has(name) && !keep.includes(name) && !skip.includes(name);
  const copied = group.onDevice.find(asked);
  if (copied !== undefined)
    throw new EmacError(
      'internal',
      `Session.run: output "${copied}" stays on the GPU, keep or skip it, or leave it out of the option \`kept\``,
    );
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
