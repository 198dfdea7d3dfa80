/**
 * Finds a TensorFlow.js runtime for the projection. `auto` tries @tensorflow/tfjs-node-gpu, then @tensorflow/tfjs-node,
 * then WebAssembly. Users install the native packages themselves, so a missing package and an addon that does not load
 * (an Error without a code) both count as absent. tfjs silently falls back to its slow `cpu` backend if another one
 * cannot start, so the active backend is always compared with the chosen one. `cpu` is used only on request.
 */
import { EmacError, messageOf } from '@emac/core';
import type * as tensorflow from '@tensorflow/tfjs';
import {
  importPackage as importInstalled,
  prepareNative,
  usualBackends,
  useOneThread,
  wasmPlace,
} from '#tensorflow-packages';

export type Tensorflow = typeof tensorflow;
export type TensorflowBackend = 'gpu' | 'node' | 'wasm' | 'cpu';

export interface LoadedTensorflow {
  readonly tf: Tensorflow;
  readonly backend: TensorflowBackend;
  /** one sentence for the run's record: the backend in use, and why better ones are not */
  readonly note: string;
}

/** Imports a package; replaceable, to test absent and broken packages. */
export type ImportPackage = (name: string) => Promise<unknown>;

/** Loads tfjs on the wanted backend. Errors: `unavailable`, with install instructions, if it is not the active one. */
export async function loadTensorflow(
  want: TensorflowBackend | 'auto',
  importPackage: ImportPackage = importInstalled,
): Promise<LoadedTensorflow> {
  const candidates = want === 'auto' ? usualBackends : [want];
  const refusals: string[] = [];
  for (const candidate of candidates) {
    try {
      const { tf, note } = await loaders[candidate](importPackage);
      return { tf, backend: candidate, note: [note, ...refusals].join('; ') };
    } catch (error) {
      if (!(error instanceof EmacError)) throw error;
      refusals.push(error.message);
    }
  }
  throw new EmacError('unavailable', refusals.join('; '));
}

type Loader = (importPackage: ImportPackage) => Promise<{ tf: Tensorflow; note: string }>;

const loaders: Readonly<Record<TensorflowBackend, Loader>> = {
  gpu: async (importPackage) => {
    const tf = await native(importPackage, 'gpu', '@tensorflow/tfjs-node-gpu');
    const { isUsingGpuDevice } = tf.backend() as { isUsingGpuDevice?: boolean };
    if (isUsingGpuDevice !== true) throw absent('gpu', 'the package loads, but finds no usable GPU');
    return { tf, note: 'gpu: @tensorflow/tfjs-node-gpu on a GPU' };
  },
  node: async (importPackage) => {
    const tf = await native(importPackage, 'node', '@tensorflow/tfjs-node');
    return { tf, note: 'node: @tensorflow/tfjs-node on the CPU' };
  },
  wasm: async (importPackage) => {
    const tf = await javascript(importPackage, 'wasm');
    const wasm = await attempt('wasm', () => importPackage('@tensorflow/tfjs-backend-wasm'));
    (wasm as { setWasmPaths(folder: string): void }).setWasmPaths(wasmPlace());
    useOneThread(tf);
    await use(tf, 'wasm', 'wasm');
    return { tf, note: 'wasm: WebAssembly, one thread' };
  },
  cpu: async (importPackage) => {
    const tf = await javascript(importPackage, 'cpu');
    await use(tf, 'cpu', 'cpu');
    return { tf, note: 'cpu: plain JavaScript, slow' };
  },
};

const remedies: Readonly<Record<TensorflowBackend, string>> = {
  gpu: 'run `npm install @tensorflow/tfjs-node-gpu` on a machine with CUDA 11 and cuDNN 8, or choose auto',
  node: 'run `npm install @tensorflow/tfjs-node`, or choose auto',
  wasm: 'run `npm install @tensorflow/tfjs @tensorflow/tfjs-backend-wasm`, or choose cpu',
  cpu: 'run `npm install @tensorflow/tfjs`',
};

function absent(backend: TensorflowBackend, why: string, cause?: unknown): EmacError {
  const firstLine = why.trim().split('\n')[0] ?? '';
  return new EmacError('unavailable', `tfjs backend ${backend}: ${firstLine}: ${remedies[backend]}`, {
    cause,
  });
}

async function attempt<T>(backend: TensorflowBackend, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (error) {
    throw absent(backend, messageOf(error), error);
  }
}

async function native(
  importPackage: ImportPackage,
  backend: 'gpu' | 'node',
  name: string,
): Promise<Tensorflow> {
  prepareNative();
  const tf = unwrap(await attempt(backend, () => importPackage(name)));
  tf.enableProdMode();
  await use(tf, backend, 'tensorflow');
  return tf;
}

async function javascript(importPackage: ImportPackage, backend: 'wasm' | 'cpu'): Promise<Tensorflow> {
  const tf = unwrap(await attempt(backend, () => importPackage('@tensorflow/tfjs')));
  // production mode is tfjs's only switch for its greeting on the console
  tf.enableProdMode();
  return tf;
}

/** Node's loader puts a CommonJS package's exports under `default`; not all of them can be named directly. */
function unwrap(module: unknown): Tensorflow {
  return ((module as { default?: unknown }).default ?? module) as Tensorflow;
}

async function use(tf: Tensorflow, backend: TensorflowBackend, name: string): Promise<void> {
  const started = await attempt(backend, async () => {
    const accepted = await tf.setBackend(name);
    await tf.ready();
    return accepted;
  });
  if (!started || tf.getBackend() !== name)
    throw absent(backend, `asked for "${name}", but "${tf.getBackend()}" is in use`);
}
