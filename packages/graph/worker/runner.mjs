// ONNX Runtime sessions of one thread, and values kept between their runs. Plain JavaScript: it is started from
// sources and from packages.
import * as ort from 'onnxruntime-node';

// errors are thrown as well; nothing is printed
ort.env.logLevel = 'fatal';

/** ONNX Runtime's names of the element types. */
const toOrt = { float32: 'float32', float16: 'float16', int64: 'int64', int32: 'int32', bool: 'bool' };

export function createRunner() {
  const sessions = new Map();
  const keptTensors = new Map();
  let keptCount = 0;

  const tensorOf = (value) =>
    'kept' in value
      ? keptTensors.get(value.kept)
      : new ort.Tensor(toOrt[value.type], value.data, value.shape);

  const keep = (tensor) => {
    const kept = keptCount++;
    keptTensors.set(kept, tensor);
    return { kept, type: tensor.type, shape: [...tensor.dims] };
  };

  return {
    async create(id, model, options) {
      sessions.set(id, await ort.InferenceSession.create(model, options));
    },
    async run(id, feeds, kept) {
      const tensors = {};
      for (const [name, value] of Object.entries(feeds)) tensors[name] = tensorOf(value);
      const results = await sessions.get(id).run(tensors);
      const values = {};
      for (const [name, tensor] of Object.entries(results))
        values[name] = kept.includes(name)
          ? keep(tensor)
          : { type: tensor.type, shape: [...tensor.dims], data: tensor.data };
      return values;
    },
    async forget(kept) {
      for (const each of kept) keptTensors.delete(each);
    },
    async release(id) {
      const session = sessions.get(id);
      sessions.delete(id);
      await session?.release();
    },
  };
}
