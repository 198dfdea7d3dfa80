/** Values in the JSON printed by `tools/reference/read_rlds.py`: 64-bit integers as texts, pictures as their SHA-256. */
import { createHash } from 'node:crypto';
import { isTensor, type Feature, type Value } from '../features/feature.ts';

export type Shown = number | boolean | string | readonly Shown[] | { readonly [name: string]: Shown };

interface ShownTensor {
  readonly shape: readonly number[];
  readonly values: readonly Shown[];
}

/** TensorFlow stacks a sequence; a nested one is a list there too. */
export function shownValue(feature: Feature, value: Value): Shown {
  switch (feature.kind) {
    case 'dict':
      return mapped(feature.features, (inner, name) =>
        shownValue(inner, (value as Readonly<Record<string, Value>>)[name]!),
      );
    case 'dataset':
      return (value as readonly Value[]).map((each) => shownValue(feature.feature, each));
    case 'sequence':
      return shownSequence(feature.feature, value);
    case 'image':
      return createHash('sha256')
        .update(value as Uint8Array)
        .digest('hex');
    case 'text':
      return value as string;
    case 'tensor': {
      const { shape, values } = asTensor(feature, value);
      return shape.length === 0 ? values[0]! : { shape, values };
    }
  }
}

function shownSequence(feature: Feature, value: Value): Shown {
  if (feature.kind === 'dict')
    return mapped(feature.features, (inner, name) =>
      shownSequence(inner, (value as Readonly<Record<string, Value>>)[name]!),
    );
  const values = value as readonly Value[];
  if (feature.kind === 'sequence') return values.map((each) => shownSequence(feature.feature, each));
  const inner = values.map((each) => asTensor(feature, each));
  const stated = feature.kind === 'tensor' ? feature.shape.map((size) => size ?? 0) : [];
  return {
    shape: [values.length, ...(inner[0]?.shape ?? stated)],
    values: inner.flatMap((each) => each.values),
  };
}

function asTensor(feature: Feature, value: Value): ShownTensor {
  const { shape, data } = isTensor(value) ? value : { shape: [], data: [value] };
  const isFlag = feature.kind === 'tensor' && feature.dtype === 'bool';
  const shown = (each: unknown): Shown => {
    if (typeof each === 'bigint') return String(each);
    return isFlag ? Boolean(each) : (each as number | string);
  };
  return { shape, values: Array.from(data as ArrayLike<unknown>, shown) };
}

function mapped<T>(dict: Readonly<Record<string, T>>, each: (value: T, name: string) => Shown): Shown {
  return Object.fromEntries(Object.entries(dict).map(([name, value]) => [name, each(value, name)]));
}
