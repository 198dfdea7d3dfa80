// One ONNX Runtime session: made, run, released. Plain JavaScript: it is started from sources and from packages.
import * as ort from 'onnxruntime-node';

/** ONNX Runtime's names of the element types, and back. */
const toOrt = { float32: 'float32', float16: 'float16', int64: 'int64', int32: 'int32', bool: 'bool' };

export function createRunner() {
  let session;
  return {
    async create(model, options) {
      session = await ort.InferenceSession.create(model, options);
    },
    async run(feeds) {
      const tensors = {};
      for (const [name, value] of Object.entries(feeds))
        tensors[name] = new ort.Tensor(toOrt[value.type], value.data, value.shape);
      const results = await session.run(tensors);
      const values = {};
      for (const [name, tensor] of Object.entries(results))
        values[name] = { type: tensor.type, shape: [...tensor.dims], data: tensor.data };
      return values;
    },
    async release() {
      await session?.release();
    },
  };
}
