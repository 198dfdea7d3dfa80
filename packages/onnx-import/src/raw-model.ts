/** The messages of an `.onnx` file as protobufjs returns them: unchecked, with every field that is used. */
type Integer = number | { toNumber(): number; toString(): string };

export interface RawTensor {
  dims: Integer[];
  dataType: number;
  floatData: number[];
  int32Data: number[];
  int64Data: Integer[];
  doubleData: number[];
  name: string;
  rawData: Uint8Array;
  externalData: { key: string; value: string }[];
  dataLocation: number;
}

export interface RawAttribute {
  name: string;
  type: number;
  f: number;
  i: Integer;
  s: Uint8Array;
  t: RawTensor | null;
  floats: number[];
  ints: Integer[];
}

export interface RawValue {
  name: string;
  type: {
    tensorType: {
      elemType: number;
      shape: { dim: { dimValue: Integer; dimParam: string }[] } | null;
    } | null;
  } | null;
}

export interface RawModel {
  irVersion: Integer;
  opsetImport: { domain: string; version: Integer }[];
  functions: { name: string }[];
  graph: {
    node: {
      name: string;
      opType: string;
      domain: string;
      input: string[];
      output: string[];
      attribute: RawAttribute[];
    }[];
    initializer: RawTensor[];
    input: RawValue[];
    output: RawValue[];
    valueInfo: RawValue[];
  } | null;
}

const outermost = Number.MAX_SAFE_INTEGER;

/** Beyond the safe integers only ∞ is meant (the end of a slice). */
export function toNumber(value: Integer | bigint): number {
  const plain = typeof value === 'object' ? value.toNumber() : Number(value);
  return Math.max(-outermost, Math.min(outermost, plain));
}
