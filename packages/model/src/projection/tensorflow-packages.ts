/** Where Node finds TensorFlow.js. In a browser's bundle `tensorflow-packages.browser.ts` takes this place. */
import { createRequire } from 'node:module';
import { dirname, sep } from 'node:path';

/** Tried in this order. */
export const usualBackends = ['gpu', 'node', 'wasm'] as const;

/** An installed package. Errors: Node's own. */
export const importPackage = (name: string): Promise<unknown> => import(name);

/** The folder of the WebAssembly files. */
export function wasmPlace(): string {
  const require = createRequire(import.meta.url);
  return dirname(require.resolve('@tensorflow/tfjs-backend-wasm')) + sep;
}

/** In Node it has one thread by itself. */
export function useOneThread(_tf: unknown): void {}

/** To be called before TensorFlow's own library loads. */
export function prepareNative(): void {
  // tfjs-node 4.22 calls two functions that newer Node releases no longer have
  const util = createRequire(import.meta.url)('node:util') as Record<string, unknown>;
  util['isNullOrUndefined'] ??= (value: unknown) => value === null || value === undefined;
  util['isArray'] ??= Array.isArray;
  // the library prints a greeting on standard error otherwise
  process.env['TF_CPP_MIN_LOG_LEVEL'] ??= '2';
}
