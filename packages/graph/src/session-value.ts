/** Inputs and outputs of a run: numbers here, or numbers kept on the session's device. */
import { EmacError } from '@emac/core';
import type { DataType, Dimension } from './shape.ts';

export type TensorData = Float32Array | BigInt64Array | Int32Array | Int8Array | Uint16Array | Uint8Array;

/** A concrete tensor: float16 and bfloat16 as their bits, bool as bytes. */
export interface Value {
  readonly type: DataType;
  readonly shape: readonly number[];
  readonly data: TensorData;
}

/** An output kept by its session: a feed for later runs of the sessions created with it. */
export interface KeptValue {
  readonly kept: number;
  readonly type: DataType;
  readonly shape: readonly number[];
}

/** A tensor in a file: little-endian, row by row. */
export interface StoredValue {
  readonly type: DataType;
  readonly shape: readonly number[];
  /** absolute path */
  readonly file: string;
  /** first byte in the file */
  readonly offset: number;
  readonly length: number;
}

export type Feeds = Readonly<Record<string, Value | KeptValue>>;

interface Input {
  readonly name: string;
  readonly type: DataType;
  readonly shape: readonly Dimension[];
}

/** Errors: `internal` if the feed is missing or of another type or shape. */
export function checkFeed({ name, type, shape }: Input, value: Value | KeptValue | undefined): void {
  if (!value) throw new EmacError('internal', `Session.run: input "${name}" is missing`);
  const fits =
    value.type === type &&
    value.shape.length === shape.length &&
    shape.every((dimension, axis) => typeof dimension === 'string' || dimension === value.shape[axis]);
  if (!fits)
    throw new EmacError(
      'internal',
      `Session.run: input "${name}" must be ${type} [${shape.join(', ')}], got ${value.type} [${value.shape.join(', ')}]`,
    );
}
