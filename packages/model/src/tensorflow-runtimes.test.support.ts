/** The tfjs runtimes for tests of the projection: those from the registry, and TensorFlow's own if it is built. */
import { createRequire } from 'node:module';
import path from 'node:path';
import {
  loadTensorflow,
  type ImportPackage,
  type Tensorflow,
  type TensorflowBackend,
} from './projection/tensorflow.ts';

/** A folder made by `tools/reference/tfjs_node/build.sh`; its packages are imported from there. */
const folder = process.env['EMAC_TFJS_NODE'];

const importFromFolder: ImportPackage = (name) =>
  import(createRequire(path.join(folder!, 'package.json')).resolve(name));

export const hasTensorflowRuntime = folder !== undefined;

export const runtimes: readonly TensorflowBackend[] = ['cpu', 'wasm', ...(folder ? (['node'] as const) : [])];

export async function loadRuntime(backend: TensorflowBackend): Promise<Tensorflow> {
  return (await loadTensorflow(backend, backend === 'node' ? importFromFolder : undefined)).tf;
}
