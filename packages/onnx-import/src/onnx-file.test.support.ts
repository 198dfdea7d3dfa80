/** Test support: small ONNX files as bytes, written from plain descriptions. */
import { ModelProto } from '@emac/graph';

export type AttributeSpec =
  number | string | readonly number[] | { readonly float: number } | { readonly tensor: TensorSpec };

/** A number list is int64; `type` is the ONNX code. */
export interface TensorSpec {
  readonly shape: readonly number[];
  readonly type?: number;
  readonly floats?: readonly number[];
  readonly integers?: readonly number[];
  readonly raw?: Uint8Array;
  readonly external?: Readonly<Record<string, string>>;
}

export interface NodeSpec {
  readonly type: string;
  readonly name?: string;
  readonly domain?: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes?: Readonly<Record<string, AttributeSpec>>;
}

export interface ValueSpec {
  /** default 1, float */
  readonly type?: number;
  readonly shape?: readonly (number | string)[];
}

export interface FileSpec {
  readonly opset?: number;
  readonly irVersion?: number;
  readonly inputs: Readonly<Record<string, ValueSpec>>;
  readonly outputs: Readonly<Record<string, ValueSpec>>;
  readonly declared?: Readonly<Record<string, ValueSpec>>;
  readonly initializers?: Readonly<Record<string, TensorSpec>>;
  readonly nodes: readonly NodeSpec[];
  readonly functions?: readonly { readonly name: string }[];
}

export function onnxFile(spec: FileSpec): Uint8Array {
  return ModelProto.encode({
    irVersion: spec.irVersion ?? 8,
    opsetImport: [
      { domain: '', version: spec.opset ?? 17 },
      { domain: 'com.microsoft', version: 1 },
    ],
    functions: spec.functions ?? [],
    graph: {
      name: 'network',
      node: spec.nodes.map(nodeBody),
      initializer: Object.entries(spec.initializers ?? {}).map(([name, tensor]) => tensorBody(name, tensor)),
      input: Object.entries(spec.inputs).map(valueBody),
      output: Object.entries(spec.outputs).map(valueBody),
      valueInfo: Object.entries(spec.declared ?? {}).map(valueBody),
    },
  }).finish();
}

export const floats = (shape: readonly number[], ...values: number[]): TensorSpec => ({
  shape,
  floats: values,
});
export const integers = (...values: number[]): TensorSpec => ({ shape: [values.length], integers: values });

function tensorBody(name: string, { shape, type, floats, integers, raw, external }: TensorSpec): object {
  return {
    name,
    dims: shape,
    dataType: type ?? (floats ? 1 : 7),
    ...(floats ? { floatData: floats } : {}),
    ...(integers ? (type === 6 || type === 9 ? { int32Data: integers } : { int64Data: integers }) : {}),
    ...(raw ? { rawData: raw } : {}),
    ...(external
      ? {
          dataLocation: 1,
          externalData: Object.entries(external).map(([key, value]) => ({ key, value })),
        }
      : {}),
  };
}

function nodeBody({ type, name, domain, inputs, outputs, attributes = {} }: NodeSpec): object {
  return {
    opType: type,
    name: name ?? '',
    domain: domain ?? '',
    input: inputs,
    output: outputs,
    attribute: Object.entries(attributes).map(([key, value]) => attributeBody(key, value)),
  };
}

function attributeBody(name: string, value: AttributeSpec): object {
  if (typeof value === 'number') return { name, i: value, type: 2 };
  if (typeof value === 'string') return { name, s: new TextEncoder().encode(value), type: 3 };
  if ('float' in value) return { name, f: value.float, type: 1 };
  if ('tensor' in value) return { name, t: tensorBody('', value.tensor), type: 4 };
  return { name, ints: value, type: 7 };
}

function valueBody([name, { type = 1, shape }]: [string, ValueSpec]): object {
  const dim = shape?.map((size) => (typeof size === 'number' ? { dimValue: size } : { dimParam: size }));
  return { name, type: { tensorType: { elemType: type, ...(dim ? { shape: { dim } } : {}) } } };
}
