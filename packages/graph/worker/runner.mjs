// ONNX Runtime sessions of one thread, and values kept between their runs. Plain JavaScript: it starts from sources and
// from packages. The runtime is Node's or the web's; both have one interface.

/**
 * With Float16Array (Node 24, new browsers), onnxruntime-common makes half-precision tensors with it, and the native part takes them for
 * empty. It decides once, at its first tensor, so half precision is bits in a Uint16Array here, as everywhere else.
 */
function halfPrecisionAsBits(ort) {
  const { Float16Array } = globalThis;
  delete globalThis.Float16Array;
  new ort.Tensor('float32', new Float32Array(1), [1]);
  if (Float16Array)
    Object.defineProperty(globalThis, 'Float16Array', {
      value: Float16Array,
      writable: true,
      configurable: true,
    });
}

/** ONNX Runtime's names of the element types. */
const toOrt = {
  float32: 'float32',
  float16: 'float16',
  int64: 'int64',
  int32: 'int32',
  int8: 'int8',
  bool: 'bool',
};

const views = {
  float32: Float32Array,
  float16: Uint16Array,
  int64: BigInt64Array,
  int32: Int32Array,
  int8: Int8Array,
  bool: Uint8Array,
};

/** Runs `run` and lists it in `running` until it ends. */
async function tracked(running, run) {
  running.add(run);
  try {
    return await run;
  } finally {
    running.delete(run);
  }
}

/**
 * `ort`: the runtime; `stored`: reads values from files; `openWeights`: for a runtime that reads no files, what a session's options say
 * of the files that hold its weights.
 */
export function createRunnerOf({ ort, stored, openWeights = () => ({}) }) {
  halfPrecisionAsBits(ort);
  // errors are thrown as well; nothing is printed
  ort.env.logLevel = 'fatal';
  const sessions = new Map();
  /** memory of values from files, by their number */
  const loaded = new Map();
  const keptTensors = new Map();
  const running = new Set();
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
    async create(id, { bytes, weights = [] }, options) {
      sessions.set(id, await ort.InferenceSession.create(bytes, { ...options, ...openWeights(weights) }));
    },
    async run(id, feeds, { outputs, keep: kept }) {
      const tensors = {};
      for (const [name, value] of Object.entries(feeds)) tensors[name] = tensorOf(value);
      const results = await tracked(running, sessions.get(id).run(tensors, outputs));
      const values = {};
      for (const [name, tensor] of Object.entries(results))
        values[name] = kept.includes(name)
          ? keep(tensor)
          : { type: tensor.type, shape: [...tensor.dims], data: tensor.data };
      return values;
    },
    async load(place) {
      const type = place.type === 'bfloat16' ? 'float32' : place.type;
      const buffer = await stored.read(place);
      const value = keep(new ort.Tensor(toOrt[type], new views[type](buffer), place.shape));
      loaded.set(value.kept, buffer);
      return value;
    },
    async forget(kept) {
      const tensors = kept.map((each) => keptTensors.get(each));
      for (const each of kept) keptTensors.delete(each);
      // disposing frees GPU values at once, but runs called before still read them
      await Promise.allSettled([...running]);
      for (const tensor of tensors) tensor?.dispose();
      for (const each of kept) {
        if (loaded.has(each)) stored.give(loaded.get(each));
        loaded.delete(each);
      }
    },
    async release(id) {
      const session = sessions.get(id);
      sessions.delete(id);
      // releasing a session would fail runs called before that have not begun
      await Promise.allSettled([...running]);
      await session?.release();
      if (sessions.size === 0) await stored.close();
    },
  };
}
