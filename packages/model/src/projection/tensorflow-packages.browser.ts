/// <reference lib="dom" />
/** TensorFlow.js in a browser. */
const packages: Readonly<Record<string, () => Promise<unknown>>> = {
  '@tensorflow/tfjs': () => import('@tensorflow/tfjs'),
  '@tensorflow/tfjs-backend-wasm': () => import('@tensorflow/tfjs-backend-wasm'),
};

/** Tried in this order. */
export const usualBackends = ['wasm'] as const;

/** A package of the bundle. Errors: one without it. */
export function importPackage(name: string): Promise<unknown> {
  const load = packages[name];
  return load ? load() : Promise.reject(new Error(`${name} is for Node`));
}

/** The page's folder holds the WebAssembly files. */
export function wasmPlace(): string {
  return new URL('./', location.href).href;
}

/** As in Node; its threads are started from the text of a function, which a minified bundle breaks. */
export function useOneThread(tf: typeof import('@tensorflow/tfjs')): void {
  tf.env().set('WASM_HAS_MULTITHREAD_SUPPORT', false);
}

export function prepareNative(): void {}
