/**
 * An actor-critic from an `.onnx` file, as `torch.onnx.export` writes one: one input, outputs `logits` and `value`. Floating
 * initializers of at least one dimension are trained, starting from the file's numbers; scalars are fixed.
 */
import { EmacError, type ArrayInput } from '@emac/core';
import { importOnnx, type OnnxNetwork } from '@emac/onnx-import';
import type { Tensor } from '@emac/graph';
import { readPictures, type Architecture } from './architecture.ts';
import { inputWidth, readInputs } from './array-inputs.ts';
import type { Network } from './parameters.ts';

export interface OnnxOptions {
  /** the elements of a row [n]; without them only a file with a picture input fits */
  readonly inputs?: readonly ArrayInput[];
  /** the prompt's array with the picture, bytes [height, width, 3]; default frame */
  readonly array?: string;
}

/** prefix for the file's parameter names, since a graph has inputs of its own */
const prefix = 'network.';

/** outputs of the file: [batch, actions]; [batch] or [batch, 1] */
const outputs = { logits: 'logits', value: 'value' } as const;

/**
 * Opens a file whose input is [batch, n], numbers as in `mlp`, or [batch, 3, height, width], a picture from 0 to 1 as in `cnn`.
 * Errors: `missing`, `io`; `data` for a file with another input, other outputs or operators without a gradient.
 */
export function onnx(file: string, { inputs, array = 'frame' }: OnnxOptions = {}): Architecture {
  const imported = importOnnx(file);
  const { name, size } = inputOf(file, imported);
  const common = {
    input: size,
    identity: [size.join('×'), ...imported.trainable(Object.values(outputs)).map(shapeOf(imported))].join(
      ', ',
    ),
    network: (actions: number) => networkOf(imported, { file, input: name, actions }),
  };
  if (size.length === 3) {
    const [, height, width] = size as [number, number, number];
    return { ...common, read: (prompts) => readPictures(prompts, { array, height, width }) };
  }
  if (inputs && inputWidth(inputs) === size[0])
    return { ...common, read: (prompts) => readInputs(inputs, prompts) };
  const given = inputs
    ? `there are ${inputWidth(inputs)}`
    : 'the environment does not define how its arrays are read';
  throw new EmacError(
    'data',
    `${file}: input "${name}" reads ${size[0]} numbers of a row, ${given}; export a network that fits the environment`,
  );
}

/** The input of a file: arrays, or the frame. Errors: as in `onnx`. */
export function onnxReads(file: string): 'arrays' | 'frame' {
  return inputOf(file, importOnnx(file)).size.length === 3 ? 'frame' : 'arrays';
}

interface Input {
  readonly name: string;
  /** of one row */
  readonly size: readonly number[];
}

function inputOf(file: string, { inputs, outputs: found }: OnnxNetwork): Input {
  const refuse = (rule: string) => new EmacError('data', `${file}: ${rule}`);
  const names = Object.keys(inputs);
  const [name] = names;
  if (name === undefined || names.length > 1)
    throw refuse(`a policy has one input, got ${names.join(', ') || 'none'}`);
  const missing = Object.values(outputs).find((output) => !Object.hasOwn(found, output));
  if (missing !== undefined)
    throw refuse(
      `a policy has outputs ${Object.values(outputs).join(' and ')}, got ${Object.keys(found).join(', ')}; name them when exporting`,
    );
  const { type, shape } = inputs[name]!;
  const [batch, ...size] = shape ?? [];
  const isRow =
    size.every((each) => typeof each === 'number') &&
    (size.length === 1 || (size.length === 3 && size[0] === 3));
  if (type !== 'float32' || typeof batch === 'number' || !isRow)
    throw refuse(
      `input "${name}" must be float32 [batch, n] or [batch, 3, height, width] with a batch of any size, got ${type} [${shape?.join(', ') ?? '?'}]`,
    );
  return { name, size: size as readonly number[] };
}

function networkOf(
  imported: OnnxNetwork,
  { file, input, actions }: { readonly file: string; readonly input: string; readonly actions: number },
): Network {
  const wide = imported.outputs[outputs.logits]!.shape?.at(-1);
  if (typeof wide === 'number' && wide !== actions)
    throw new EmacError(
      'data',
      `${file}: logits has ${wide} numbers of a row, the environment ${actions} actions; export a network that fits`,
    );
  const start = (name: string) => ({
    name: `${prefix}${name}`,
    shape: imported.initializers[name]!.shape as readonly number[],
    start: () => imported.numbers(name),
  });
  const policy = imported.trainable([outputs.logits]);
  const value = imported.trainable([outputs.value]);
  const starts = {
    policy: policy.map(start),
    value: value.filter((name) => !policy.includes(name)).map(start),
  };
  return {
    parameters: starts,
    apply: (x, parameter, parts) => {
      const needed = [...starts.policy, ...starts.value].filter(
        ({ name }) => parts.policy || value.includes(name.slice(prefix.length)),
      );
      const feeds = Object.fromEntries(
        needed.map((each) => [each.name.slice(prefix.length), parameter(each)]),
      );
      const wanted = parts.policy ? [outputs.logits, outputs.value] : [outputs.value];
      const made: Partial<Record<string, Tensor>> = imported.apply({ [input]: x, ...feeds }, wanted);
      return { logits: made[outputs.logits] ?? null, values: made[outputs.value]! };
    },
  };
}

function shapeOf({ initializers }: OnnxNetwork): (name: string) => string {
  return (name) => `${name} ${initializers[name]!.shape!.join('×')}`;
}
