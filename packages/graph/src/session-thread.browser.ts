/// <reference lib="dom" />
/**
 * Sessions in a browser: ONNX Runtime's WebAssembly build in this thread, which is a Web Worker where a page trains. Its own threads
 * compute beside it if the page is isolated from other origins.
 */
import * as ort from 'onnxruntime-web/wasm';
import { closeSync, fstatSync, openSync, readFileSync, readSync } from '@emac/platform';
import { createRunnerOf } from '../worker/runner.mjs';
import type { RunningThread, SessionThread } from './running-thread.ts';
import type { StoredValue } from './session-value.ts';

/** Nothing: the web's build sends no statistics, and a page has no CUDA. */
export function prepareRuntime(): void {}

/** Sessions in this thread. */
export function mainThread(): Promise<SessionThread> {
  return Promise.resolve(workerThread());
}

let runner: RunningThread | undefined;

/** Sessions in this thread: the web's build starts threads of its own. */
export function workerThread(): SessionThread {
  runner ??= oneByOne(createRunnerOf({ ort, stored: storedValues, openWeights }));
  return { ...runner, leave: () => Promise.resolve() };
}

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
