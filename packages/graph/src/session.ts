/**
 * A compiled graph in ONNX Runtime. Sessions live in a worker thread because a run blocks its thread; results come
 * back as transferred buffers. `thread: 'main'` keeps a session here, for programs that do nothing else meanwhile.
 */
import { realpathSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { EmacError, messageOf } from '@emac/core';
import type { Graph } from './graph.ts';
import { encodeModel } from './onnx.ts';
import type { DataType } from './tensor.ts';

export type Provider = 'cpu' | 'webgpu' | 'cuda';

export type TensorData = Float32Array | BigInt64Array | Int32Array | Uint16Array | Uint8Array;

/** A concrete tensor: float16 and bfloat16 as their bits, bool as bytes. */
export interface Value {
  readonly type: DataType;
  readonly shape: readonly number[];
  readonly data: TensorData;
}

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
  /** Runs the graph; feeds name every input, results every output. */
  run(feeds: Readonly<Record<string, Value>>): Promise<Record<string, Value>>;
  dispose(): Promise<void>;
}

/** What the worker understands; the worker itself is plain JavaScript so that it starts from sources and packages alike. */
interface Runner {
  create(model: Uint8Array, options: object): Promise<void>;
  run(feeds: Readonly<Record<string, Value>>): Promise<Record<string, Value>>;
  release(): Promise<void>;
}

const runnerModule = new URL('../worker/runner.mjs', import.meta.url);
const workerModule = new URL('../worker/worker.mjs', import.meta.url);

/** Compiles a graph. Errors: `unavailable` when the provider is not there, `internal` when the graph is refused. */
export async function createSession(graph: Graph, options: SessionOptions = {}): Promise<Session> {
  const provider = options.provider ?? 'cpu';
  const runner = options.thread === 'main' ? await mainRunner() : workerRunner();
  try {
    await runner.create(encodeModel(resolvedFiles(graph)), onnxOptions(provider, options.threads));
  } catch (error) {
    await runner.release();
    throw creationError(provider, error);
  }
  const inputs = new Map(graph.inputs.map((input) => [input.name, input]));
  return {
    provider,
    run: async (feeds) => {
      for (const [name, input] of inputs) checkFeed(name, input, feeds[name]);
      return runner.run(feeds);
    },
    dispose: () => runner.release(),
  };
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

function onnxOptions(provider: Provider, threads: number | undefined): object {
  return {
    executionProviders: [provider],
    ...(threads ? { intraOpNumThreads: threads } : {}),
    interOpNumThreads: 1,
    logSeverityLevel: 3, ...(process.env['EMAC_PROFILE'] ? { enableProfiling: true, profileFilePrefix: '/tmp/proto/p' } : {}),
    extra: {
      session: {
        model_external_initializers_file_folder_path: '/',
        disable_prepacking: '1',
        intra_op: { allow_spinning: '0' },
      },
    },
  };
}

function creationError(provider: Provider, error: unknown): EmacError {
  const message = messageOf(error);
  const hints = {
    cpu: '',
    webgpu: 'WebGPU needs libvulkan and a Vulkan driver (a GPU, or SwiftShader through VK_DRIVER_FILES)',
    cuda: 'CUDA needs the onnxruntime CUDA provider libraries beside onnxruntime-node, CUDA 12 and cuDNN 9',
  };
  if (provider !== 'cpu' && /adapter|shared library|not available|webgpu|cuda/i.test(message))
    return new EmacError(
      'unavailable',
      `provider ${provider} is not available here: ${message}; ${hints[provider]}`,
      { cause: error },
    );
  return new EmacError('internal', `ONNX Runtime refused the graph: ${message}`, { cause: error });
}

function checkFeed(
  name: string,
  input: { type: DataType; shape: readonly (number | string)[] },
  value: Value | undefined,
): void {
  if (!value) throw new EmacError('internal', `Session.run: input "${name}" is missing`);
  const fits =
    value.type === input.type &&
    value.shape.length === input.shape.length &&
    input.shape.every((dimension, axis) => typeof dimension === 'string' || dimension === value.shape[axis]);
  if (!fits)
    throw new EmacError(
      'internal',
      `Session.run: input "${name}" must be ${input.type} [${input.shape.join(', ')}], got ${value.type} [${value.shape.join(', ')}]`,
    );
}

async function mainRunner(): Promise<Runner> {
  const module = (await import(runnerModule.href)) as { createRunner(): Runner };
  return module.createRunner();
}

function workerRunner(): Runner {
  const worker = new Worker(workerModule);
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: unknown): void }>();
  let count = 0;
  worker.unref();
  worker.on('message', (reply: { id: number; result?: unknown; error?: string }) => {
    const call = waiting.get(reply.id);
    waiting.delete(reply.id);
    if (waiting.size === 0) worker.unref();
    if (reply.error === undefined) call?.resolve(reply.result);
    else call?.reject(new Error(reply.error));
  });
  const fail = (error: unknown) => {
    for (const call of waiting.values()) call.reject(error);
    waiting.clear();
  };
  worker.on('error', fail);
  worker.on('exit', () => fail(new EmacError('internal', 'the ONNX Runtime worker ended')));
  const call = <T>(method: string, ...args: unknown[]): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      const id = count++;
      waiting.set(id, { resolve: resolve as (value: unknown) => void, reject });
      worker.ref();
      worker.postMessage({ id, method, args });
    });
  return {
    create: (model, options) => call('create', model, options),
    run: (feeds) => call('run', feeds),
    release: async () => {
      await worker.terminate();
    },
  };
}
