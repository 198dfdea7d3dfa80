import { describe, expect, it } from 'vitest';
import { hasTensorflowRuntime, loadRuntime } from '../tensorflow-runtimes.test.support.ts';
import { loadTensorflow } from './tensorflow.ts';

const real = (name: string): Promise<unknown> => import(name);

/** A stand-in for tfjs-node, which registers itself as `tensorflow`. */
function nativePackage(options: { readonly gpu: boolean; readonly backend?: string }): unknown {
  const inUse = options.backend ?? 'tensorflow';
  return {
    default: {
      enableProdMode: () => {},
      setBackend: (name: string) => Promise.resolve(name === inUse),
      ready: () => Promise.resolve(),
      getBackend: () => inUse,
      backend: () => ({ isUsingGpuDevice: options.gpu }),
    },
  };
}

describe('loadTensorflow', () => {
  it('computes on the requested backend, wasm and cpu', async () => {
    for (const want of ['wasm', 'cpu', 'wasm'] as const) {
      const { tf, backend } = await loadTensorflow(want);
      expect([backend, tf.getBackend()]).toEqual([want, want]);
      const product = tf.tidy(() => tf.matMul(tf.tensor2d([[1, 2]]), tf.tensor2d([[3], [4]])));
      // 1·3 + 2·4
      expect([...product.dataSync()]).toEqual([11]);
      product.dispose();
    }
  });

  it('chooses the first of gpu, node and wasm that loads, and never cpu by itself', async () => {
    const asked: string[] = [];
    const only = (present: string) => (name: string) => {
      asked.push(name);
      if (name === present) return Promise.resolve(nativePackage({ gpu: true }));
      return name.startsWith('@tensorflow/tfjs-node') ? Promise.reject(new Error('none')) : real(name);
    };
    const chosen = async (present: string) => (await loadTensorflow('auto', only(present))).backend;
    expect(await chosen('@tensorflow/tfjs-node-gpu')).toBe('gpu');
    expect(await chosen('@tensorflow/tfjs-node')).toBe('node');
    expect(await chosen('none of them')).toBe('wasm');
    expect(asked).toEqual([
      '@tensorflow/tfjs-node-gpu',
      ...['@tensorflow/tfjs-node-gpu', '@tensorflow/tfjs-node'],
      ...['@tensorflow/tfjs-node-gpu', '@tensorflow/tfjs-node'],
      ...['@tensorflow/tfjs', '@tensorflow/tfjs-backend-wasm'],
    ]);
  });

  it.runIf(hasTensorflowRuntime)("computes on TensorFlow's own runtime", async () => {
    const tf = await loadRuntime('node');
    expect(tf.getBackend()).toBe('tensorflow');
    expect([...tf.matMul(tf.tensor2d([[1, 2]]), tf.tensor2d([[3], [4]])).dataSync()]).toEqual([11]);
  });

  it('falls back to wasm if the native packages are missing or their addon does not load, and reports it', async () => {
    const importPackage = (name: string): Promise<unknown> => {
      if (name === '@tensorflow/tfjs-node-gpu')
        return Promise.reject(new Error('The addon can not be found\nat …'));
      if (name === '@tensorflow/tfjs-node')
        return Promise.reject(Object.assign(new Error('Cannot find package'), { code: 'MODULE_NOT_FOUND' }));
      return real(name);
    };
    const { backend, note } = await loadTensorflow('auto', importPackage);
    expect(backend).toBe('wasm');
    expect(note).toContain('gpu: The addon can not be found:');
    expect(note).toContain('node: Cannot find package:');
  });

  it('rejects a requested but absent backend, and says how to install it', async () => {
    const importPackage = (): Promise<unknown> => Promise.reject(new Error('no addon here'));
    await expect(loadTensorflow('gpu', importPackage)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('npm install @tensorflow/tfjs-node-gpu') as string,
    });
    await expect(loadTensorflow('node', importPackage)).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('rejects a GPU package that computes without a GPU, or on another backend', async () => {
    const without = () => Promise.resolve(nativePackage({ gpu: false }));
    await expect(loadTensorflow('gpu', without)).rejects.toMatchObject({
      message: expect.stringContaining('no usable GPU') as string,
    });
    const elsewhere = () => Promise.resolve(nativePackage({ gpu: true, backend: 'cpu' }));
    await expect(loadTensorflow('gpu', elsewhere)).rejects.toMatchObject({
      message: expect.stringContaining('"cpu" is in use') as string,
    });
    const working = () => Promise.resolve(nativePackage({ gpu: true }));
    expect((await loadTensorflow('auto', working)).backend).toBe('gpu');
  });

  it('does not fall back to cpu if wasm cannot start', async () => {
    const importPackage = (name: string): Promise<unknown> =>
      name === '@tensorflow/tfjs-backend-wasm' ? Promise.reject(new Error('blocked')) : real(name);
    await expect(loadTensorflow('wasm', importPackage)).rejects.toMatchObject({ code: 'unavailable' });
  });
});
