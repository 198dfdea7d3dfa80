/**
 * The features of a dataset: the structure of an episode, as in TensorFlow Datasets' `features.json`, and the matching values.
 */

/** An axis; null if its size varies. */
export type Axis = number | null;

export type NumberDtype =
  | 'bool'
  | 'int8'
  | 'uint8'
  | 'int16'
  | 'uint16'
  | 'int32'
  | 'uint32'
  | 'int64'
  | 'uint64'
  | 'float32'
  | 'float64';

export type Dtype = NumberDtype | 'string';

export type Feature =
  | { readonly kind: 'dict'; readonly features: Readonly<Record<string, Feature>> }
  /** a list of elements; in RLDS `steps`, a list of dicts */
  | { readonly kind: 'dataset'; readonly feature: Feature }
  | { readonly kind: 'sequence'; readonly feature: Feature; readonly length: Axis }
  | TensorFeature
  | ImageFeature
  | { readonly kind: 'text' };

/** Numbers or texts; a single one if `shape` is empty. */
export interface TensorFeature {
  readonly kind: 'tensor';
  readonly shape: readonly Axis[];
  readonly dtype: Dtype;
  /** raw bytes of the numbers instead of a list of them; `none` is usual, and turns float64 into float32 */
  readonly encoding: 'none' | 'bytes' | 'zlib';
}

/** A picture; its bytes stay encoded. */
export interface ImageFeature {
  readonly kind: 'image';
  /** height, width, channels */
  readonly shape: readonly Axis[];
  readonly dtype: 'uint8' | 'uint16' | 'float32';
  readonly encoding: 'png' | 'jpeg' | null;
}

export type TensorData =
  | Int8Array
  | Uint8Array
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | BigInt64Array
  | BigUint64Array
  | Float32Array
  | Float64Array
  | readonly string[];

/** Row by row, the last axis fastest. Booleans are 0 and 1. */
export interface Tensor {
  readonly shape: readonly number[];
  readonly data: TensorData;
}

/**
 * The value of a feature. A dict is an object; a dataset or sequence is a list (a sequence of a dict is an object of lists, as in
 * TensorFlow Datasets). A tensor is a tensor, or a single number (`bigint` for 64 bits), boolean or text; a text feature is a text; a
 * picture is its encoded bytes.
 */
export type Value = number | bigint | boolean | string | Uint8Array | Tensor | readonly Value[] | ValueDict;

export interface ValueDict {
  readonly [name: string]: Value;
}

/** A feature of this shape and type, without encoding. */
export function tensorFeature(dtype: Dtype, shape: readonly Axis[] = []): TensorFeature {
  return { kind: 'tensor', shape, dtype, encoding: 'none' };
}

/** True if a value is a tensor. */
export function isTensor(value: Value): value is Tensor {
  return (
    typeof value === 'object' &&
    'shape' in value &&
    Array.isArray(value.shape) &&
    'data' in value &&
    Object.keys(value).length === 2
  );
}
