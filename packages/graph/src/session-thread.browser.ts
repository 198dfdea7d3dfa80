/// <reference lib="dom" />
/**
 * Sessions in a browser: ONNX Runtime's WebAssembly build in this thread, which is a Web Worker where a page trains. Its own threads
 * compute beside it if the page is isolated from other origins. The build with WebGPU is loaded by the first session that asks for it: it
 * is larger, and waits for a GPU by suspending WebAssembly (JSPI), which not every browser can.
 */
import * as ort from 'onnxruntime-web/wasm';
import { EmacError } from '@emac/core';
import { closeSync, fstatSync, openSync, readFileSync, readSync } from '@emac/platform';
import { createRunnerOf } from '../worker/runner.mjs';
import type { RunningThread, SessionThread } from './running-thread.ts';
import type { Provider } from './session-provider.ts';
import type { StoredValue } from './session-value.ts';

/** Nothing: the web's build sends no statistics, and a page has no CUDA. */
export function prepareRuntime(): void {}

type Runtime = Pick<typeof ort, 'env' | 'InferenceSession' | 'Tensor'>;

const runtimes: Readonly<Record<Provider, () => Promise<Runtime>>> = {
  cpu: () => Promise.resolve(ort),
  webgpu: withWebGpu,
  cuda: () =>
    Promise.reject(new EmacError('unavailable', 'provider cuda: a browser has none; use cpu or webgpu')),
};

async function withWebGpu(): Promise<Runtime> {
  const missing = 'gpu' in navigator ? ('Suspending' in WebAssembly ? null : 'JSPI') : 'WebGPU';
  if (missing !== null)
    throw new EmacError('unavailable', `provider webgpu: this browser has no ${missing}; use cpu`);
  const runtime = await import('onnxruntime-web/jspi');
  const { wasmPaths, numThreads } = ort.env.wasm;
  Object.assign(runtime.env.wasm, { wasmPaths, numThreads });
  return runtime;
}

const runners = new Map<Provider, Promise<RunningThread>>();

/** Sessions in this thread: the web's build starts threads of its own. Errors: `unavailable` if the browser lacks what the provider needs. */
export async function workerThread(provider: Provider): Promise<SessionThread> {
  const opened = runners.get(provider) ?? runtimes[provider]().then(runnerOf);
  runners.set(provider, opened);
  return { ...(await opened), leave: () => Promise.resolve() };
}

function runnerOf(runtime: Runtime): RunningThread {
  return oneByOne(createRunnerOf({ ort: runtime, stored: storedValues, openWeights }));
}

export const mainThread = workerThread;
export const anotherThread = workerThread;

/** Whether sessions of `anotherThread` compute while those of `workerThread` do. */
export const areThreadsApart = false;

const callsBeforeMessages = 8;

/** Runs follow each other without the thread ever hearing a message, such as one that stops it, unless they wait for one of their own. */
function messagesFirst(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}

/**
 * Creates and runs one after the other: the web's build waits while it lays out inputs on a stack that all calls share, and a second call
 * would overwrite them.
 */
function oneByOne(thread: RunningThread): RunningThread {
  let last: Promise<unknown> = Promise.resolve();
  let count = 0;
  const next = <T>(work: () => Promise<T>): Promise<T> => {
    if (++count % callsBeforeMessages === 0) last = last.then(messagesFirst);
    const own = last.then(work);
    last = own.catch(() => undefined);
    return own;
  };
  return {
    ...thread,
    create: (session, model, options) => next(() => thread.create(session, model, options)),
    run: (session, feeds, wanted) => next(() => thread.run(session, feeds, wanted)),
    release: (session) => next(() => thread.release(session)),
  };
}

/** The web's build reads no files: it gets the bytes of those that a graph names by their absolute path. */
function openWeights(paths: readonly string[]): object {
  return { externalData: paths.map((path) => ({ path, data: readFileSync(path) })) };
}

const storedValues = {
  read({ file, offset, length, type }: StoredValue): Promise<ArrayBuffer> {
    const bytes = new Uint8Array(length);
    const descriptor = openSync(file, 'r');
    try {
      if (fstatSync(descriptor).size < offset + length)
        throw new Error(`ends before byte ${offset + length}`);
      readSync(descriptor, bytes, 0, length, offset);
    } finally {
      closeSync(descriptor);
    }
    return Promise.resolve(type === 'bfloat16' ? widened(bytes.buffer) : bytes.buffer);
  },
  give(): void {},
  close: () => Promise.resolve(),
};

/** bfloat16 is the upper half of a float32 */
function widened(buffer: ArrayBuffer): ArrayBuffer {
  return Uint32Array.from(new Uint16Array(buffer), (bits) => bits << 16).buffer;
}
