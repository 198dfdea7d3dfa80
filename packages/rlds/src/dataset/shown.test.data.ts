/** Values in the JSON that `tools/reference/read_rlds.py` prints: 64-bit integers as texts, pictures as their SHA-256. */
import { createHash } from 'node:crypto';
import type { Tensor, Value } from '../features/feature.ts';

export type Shown = number | boolean | string | readonly Shown[] | { readonly [name: string]: Shown };

/** Lists of single values and of tensors are one tensor in TensorFlow: `stacked`; those within a step that are ragged are lists there. */
export function shownValue(value: Value, name = ''): Shown {
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object') return value;
  if (value instanceof Uint8Array) return createHash('sha256').update(value).digest('hex');
  if (Array.isArray(value))
    return name === 'steps'
      ? value.map((each) => shownValue(each as Value))
      : stacked(value as Value[], name);
  if ('shape' in value && 'data' in value) return shownTensor(value as Tensor, name);
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, shownValue(inner as Value, key)]),
  );
}

function shownTensor({ shape, data }: Tensor, name: string): Shown {
  const values = Array.from(data as ArrayLike<number | bigint | string>, (each) =>
    typeof each === 'bigint' ? String(each) : each,
  );
  return { shape, values: name === 'touches' ? values.map((each) => each === 1) : values };
}

/** shapes of what the reference's sequences hold, which an empty one does not say */
const elements: Readonly<Record<string, readonly number[]>> = { seen: [], boxes: [4] };

function stacked(values: readonly Value[], name: string): Shown {
  const inner = values.map((each) => shownValue(each));
  const flat = inner.flatMap((each) =>
    typeof each === 'object' && 'values' in each ? (each['values'] as Shown[]) : [each],
  );
  return { shape: [values.length, ...elements[name]!], values: flat };
}
