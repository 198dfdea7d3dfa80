/** Compiling one graph for a provider. */
import { EmacError } from '@emac/core';
import type { Graph } from './graph.ts';
import { lower, type LoweredGraph } from './lowering.ts';
import { encodeLowered } from './onnx.ts';
import {
  creationError,
  isCpuRefusal,
  onnxOptions,
  type Provider,
  type ThreadOptions,
} from './session-provider.ts';
import type { SessionThread } from './running-thread.ts';
import { kernelProbes, nodeKind } from './webgpu-placement.ts';

/** Session numbers are never reused. */
let sessionCount = 0;

export interface Compilation {
  readonly thread: SessionThread;
  readonly provider: Provider;
  readonly options: ThreadOptions;
}

/**
 * Compiles a graph on a thread; returns the session's number. On WebGPU, nodes may run on the CPU only if
 * `webgpu-placement.ts` lists them. Errors: `unavailable` if the provider is absent or lacks an operator, else
 * `internal`.
 */
export async function compile(graph: Graph, compilation: Compilation): Promise<number> {
  const { provider, options } = compilation;
  const lowered = lower(graph, provider);
  try {
    const session = await compileStrictly(lowered, compilation);
    if (session !== null) return session;
    const missing = await withoutKernel(lowered, compilation);
    if (missing.length > 0)
      throw new EmacError(
        'unavailable',
        `provider ${provider}: has no kernel for ${missing.join(', ')}; use another provider, such as cpu`,
      );
    return await create(lowered, { ...compilation, options: { ...options, cpuNodes: true } });
  } catch (error) {
    throw creationError(provider, error);
  }
}

async function create(graph: LoweredGraph, { thread, provider, options }: Compilation): Promise<number> {
  const session = sessionCount++;
  const files = graph.initializers.flatMap(({ data }) => (ArrayBuffer.isView(data) ? [] : [data.file]));
  await thread.create(
    session,
    { bytes: encodeLowered(graph), weights: [...new Set(files)] },
    onnxOptions(provider, options),
  );
  return session;
}

/** Null if nodes of a GPU provider would run on the CPU. */
async function compileStrictly(graph: LoweredGraph, compilation: Compilation): Promise<number | null> {
  try {
    return await create(graph, compilation);
  } catch (error) {
    if (isCpuRefusal(error)) return null;
    throw error;
  }
}

/** Kinds of refused nodes that may not run on the CPU. */
async function withoutKernel(
  graph: LoweredGraph,
  { thread, provider, options }: Compilation,
): Promise<string[]> {
  const { flushDenormals } = options;
  const missing = new Set<string>();
  for (const probe of kernelProbes(graph)) {
    const session = await compileStrictly(probe, { thread, provider, options: { flushDenormals } });
    if (session === null) missing.add(nodeKind(probe.nodes[0]!));
    else await thread.release(session);
  }
  return [...missing];
}
