/**
 * Decodes an example into the values of its features. TensorFlow Datasets flattens an episode: every feature has one list under its path
 * (`steps/observation/state`), its steps one after another. A sequence within a step has two lists, or more if nested: its values under
 * `…/ragged_flat_values`, their counts per step under `…/ragged_row_lengths_0`. A tensor with several free axes has its bytes under
 * `…/value` and its sizes under `…/shape`.
 */
import type { Example, ExampleFeature } from '../records/example.ts';
import type { Axis, Feature, Value } from './feature.ts';
import {
  byteStrings,
  damaged,
  encodedTensors,
  freeAxes,
  tensors,
  texts,
  type Leaf,
  type NamedList,
} from './leaf.ts';
import { eachNumber, numbersOf } from './numbers.ts';

interface Source {
  readonly example: Example;
  /** starts messages */
  readonly place: string;
}

/** The values of an example; pictures are views of the record. Errors: `data` naming place and feature. */
export function decodeFeatures(feature: Feature, example: Example, place: string): Value {
  return valueOf(feature, '', { example, place });
}

function valueOf(feature: Feature, key: string, source: Source): Value {
  switch (feature.kind) {
    case 'dict':
      return mapped(feature.features, (inner, name) => valueOf(inner, below(key, name), source));
    case 'dataset':
      return rowsOf(columnsOf(feature.feature, { key, levels: [null] }, source), `${source.place}: ${key}`);
    case 'sequence':
      return asValue(columnsOf(feature.feature, { key, levels: [feature.length] }, source));
    default:
      return single(feature, key, source);
  }
}

/** Values of a feature, one per element of the enclosing level. */
type Columns = { readonly list: readonly Value[] } | { readonly dict: Readonly<Record<string, Columns>> };

interface Nesting {
  readonly key: string;
  /** lengths of the lists around the values, outermost first */
  readonly levels: readonly Axis[];
}

function columnsOf(feature: Feature, { key, levels }: Nesting, source: Source): Columns {
  switch (feature.kind) {
    case 'dict': {
      const inside = (name: string) => ({ key: below(key, name), levels });
      return { dict: mapped(feature.features, (inner, name) => columnsOf(inner, inside(name), source)) };
    }
    case 'sequence':
      return columnsOf(feature.feature, { key, levels: [...levels, feature.length] }, source);
    case 'dataset':
      throw damaged(
        `${source.place}: ${key}`,
        'must not be a dataset within another or a sequence; it cannot be read',
      );
    default:
      return {
        list: nested(
          itemsOf(feature, { key, levels }, source),
          { key: listKey(feature, key), levels },
          source,
        ),
      };
  }
}

/** The rows of columns. */
function rowsOf(columns: Columns, place: string): readonly Value[] {
  const [count = 0, ...others] = countsOf(columns);
  if (others.length > 0)
    throw damaged(
      place,
      `its features must all have as many elements, some have ${count} and some ${others[0]}; the file is damaged`,
    );
  return Array.from({ length: count }, (_, row) => picked(columns, row));
}

function countsOf(columns: Columns): Set<number> {
  if ('list' in columns) return new Set([columns.list.length]);
  return new Set(Object.values(columns.dict).flatMap((inner) => [...countsOf(inner)]));
}

function picked(columns: Columns, row: number): Value {
  return 'list' in columns ? columns.list[row]! : mapped(columns.dict, (inner) => picked(inner, row));
}

function asValue(columns: Columns): Value {
  return 'list' in columns ? columns.list : mapped(columns.dict, asValue);
}

/** Consecutive values, as nested lists with the lengths stated in the example. */
function nested(values: readonly Value[], { key, levels }: Nesting, source: Source): readonly Value[] {
  let lists = values;
  for (let level = levels.length - 1; level > 0; level--) {
    const lengths = listAt(`${key}/ragged_row_lengths_${level - 1}`, true, source);
    lists = grouped(lists, lengths, levels[level]!);
  }
  return ofLength(lists, levels[0]!, `${source.place}: ${key}`);
}

function grouped(values: readonly Value[], { list, place }: NamedList, each: Axis): readonly Value[] {
  let at = 0;
  const groups = eachNumber(numbersOf(list, 'uint32', place)).map((length) => {
    const from = at;
    at += Number(length);
    return ofLength(values.slice(from, at), each, place);
  });
  if (at !== values.length)
    throw damaged(
      place,
      `must sum to ${values.length}, the number of values; they sum to ${at}; the file is damaged`,
    );
  return groups;
}

function ofLength(values: readonly Value[], length: Axis, place: string): readonly Value[] {
  if (length === null || values.length === length) return values;
  throw damaged(place, `must have ${length} elements, it has ${values.length}; the file is damaged`);
}

function single(feature: Leaf, key: string, source: Source): Value {
  const values = itemsOf(feature, { key, levels: [] }, source);
  if (values.length === 1) return values[0]!;
  throw damaged(
    `${source.place}: ${key}`,
    `must be one value, there are ${values.length}; the file is damaged`,
  );
}

/** The values of a feature in file order. */
function itemsOf(feature: Leaf, { key, levels }: Nesting, source: Source): readonly Value[] {
  const flat = (name: string): NamedList =>
    listAt(levels.length > 1 ? `${name}/ragged_flat_values` : name, levels.length > 0, source);
  const values = flat(listKey(feature, key));
  if (feature.kind === 'image') return byteStrings(values);
  if (feature.kind === 'text') return texts(values);
  if (feature.encoding === 'none') return tensors(feature, values, levels.length === 0);
  const sizes = hasOwnShape(feature) ? flat(`${key}/shape`) : null;
  return encodedTensors(feature, values, sizes && numbersOf(sizes.list, 'int32', sizes.place));
}

/** The name of the list with a feature's values. */
const listKey = (feature: Leaf, key: string) => (hasOwnShape(feature) ? `${key}/value` : key);

/** True if the shape is stored beside the values. */
export const hasOwnShape = (feature: Leaf) =>
  feature.kind === 'tensor' && feature.encoding !== 'none' && freeAxes(feature.shape) > 1;

/** Absent lists of a sequence are empty, as in TensorFlow. */
function listAt(name: string, isSequence: boolean, { example, place }: Source): NamedList {
  const list = example.get(name) ?? (isSequence ? nothing : undefined);
  if (list) return { list, place: `${place}: ${name}` };
  throw damaged(
    `${place}: ${name}`,
    'is in features.json but not in the file; the file is damaged or of another dataset',
  );
}

const nothing: ExampleFeature = { kind: 'empty', values: [] };

/** The path of a feature within a dict. */
export const below = (key: string, name: string) => (key === '' ? name : `${key}/${name}`);

function mapped<T, R>(
  dict: Readonly<Record<string, T>>,
  each: (value: T, name: string) => R,
): Readonly<Record<string, R>> {
  return Object.fromEntries(Object.entries(dict).map(([name, value]) => [name, each(value, name)]));
}
