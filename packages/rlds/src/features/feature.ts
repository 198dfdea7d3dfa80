/**
 * The features of a dataset: what an episode consists of, as `features.json` of TensorFlow Datasets says it, and the values that
 * belong to them.
 */

/** An axis; null where it is not the same everywhere. */
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
  /** a list of elements; RLDS has its `steps` in one, of dicts */
  | { readonly kind: 'dataset'; readonly feature: Feature }
  | { readonly kind: 'sequence'; readonly feature: Feature; readonly length: Axis }
  | TensorFeature
  | ImageFeature
  | { readonly kind: 'text' };

/** Numbers or texts; a single one where `shape` is empty. */
export interface TensorFeature {
  readonly kind: 'tensor';
  readonly shape: readonly Axis[];
  readonly dtype: Dtype;
  /** raw bytes of the numbers instead of a list of them; `none` is usual, and makes float64 float32 */
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
 * What a feature holds: an object for a dict; a list for a dataset and for a sequence (of a dict: an object of lists, as in TensorFlow
 * Datasets); a tensor, or a single number (`bigint` for 64 bits), boolean or text; text; the encoded bytes of a picture.
 */
export type Value = number | bigint | boolean | string | Uint8Array | Tensor | readonly Value[] | ValueDict;

export interface ValueDict {
  readonly [name: string]: Value;
}

/** A feature of this shape and type, without encoding. */
export function tensorFeature(dtype: Dtype, shape: readonly Axis[] = []): TensorFeature {
  return { kind: 'tensor', shape, dtype, encoding: 'none' };
}

/** True for a tensor among values. */
export function isTensor(value: Value): value is Tensor {
  return (
    typeof value === 'object' &&
    'shape' in value &&
    Array.isArray(value.shape) &&
    'data' in value &&
    Object.keys(value).length === 2
  );
}
