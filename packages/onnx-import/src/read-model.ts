/** A ModelProto as checked plain values. Nothing is computed here; weights stay in their files. */
import { dirname, resolve } from '@emac/platform';
import { EmacError, messageOf } from '@emac/core';
import { readBytes } from '@emac/files';
import { ModelProto, type DataType, type Dimension, type Shape } from '@emac/graph';
import { toNumber, type RawAttribute, type RawModel, type RawTensor, type RawValue } from './raw-model.ts';
import {
  elementCount,
  elementOf,
  externalPlace,
  type FilePlace,
  type StoredTensor,
} from './stored-tensor.ts';

export type AttributeValue = number | string | readonly number[] | StoredTensor | { readonly kind: number };

export interface ModelNode {
  readonly name: string;
  readonly type: string;
  readonly domain: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attributes: ReadonlyMap<string, AttributeValue>;
}

export interface ModelValue {
  readonly name: string;
  readonly type: DataType;
  /** null if the file does not say */
  readonly shape: Shape | null;
}

export interface ModelFile {
  /** its name in messages */
  readonly label: string;
  readonly opset: number;
  readonly nodes: readonly ModelNode[];
  readonly initializers: ReadonlyMap<string, StoredTensor>;
  /** without initializers */
  readonly inputs: readonly ModelValue[];
  readonly outputs: readonly ModelValue[];
  /** types and shapes stated in the file for inner values */
  readonly declared: ReadonlyMap<string, ModelValue>;
}

const irVersions = [3, 13] as const;
export const opsets = [11, 23] as const;

/** The origin of a network's bytes. */
interface Source {
  readonly label: string;
  readonly folder: string | null;
  readonly path: string | null;
  readonly bytes: Uint8Array;
}

/** Reads a network. Errors: `missing`, `io`, `data` (with the place in the file). */
export function readModel(source: string | Uint8Array, folder: string | null): ModelFile {
  if (typeof source !== 'string')
    return modelOf({ label: 'ONNX network', folder, path: null, bytes: source });
  const path = resolve(source);
  const bytes = readBytes(path);
  return modelOf({ label: source, folder: folder ?? dirname(path), path, bytes });
}

function modelOf(source: Source): ModelFile {
  const { label } = source;
  const raw = decoded(source);
  checkVersions(raw, label);
  const graph = raw.graph!;
  const stored = graph.initializer.map((tensor) => storedTensor(tensor, source));
  const initializers = new Map(stored.map((tensor) => [tensor.name, tensor]));
  const file: ModelFile = {
    label,
    opset: opsetOf(raw)!,
    nodes: graph.node.map((node, index) => ({
      name: node.name || `#${index}`,
      type: node.opType,
      domain: node.domain === 'ai.onnx' ? '' : node.domain,
      inputs: node.input,
      outputs: node.output,
      attributes: new Map(
        node.attribute.map((attribute) => [attribute.name, attributeValue(attribute, source)]),
      ),
    })),
    initializers,
    inputs: graph.input
      .filter(({ name }) => !initializers.has(name))
      .map((value) => declaredValue(value, label)),
    outputs: graph.output.map((value) => declaredValue(value, label)),
    declared: new Map(
      graph.valueInfo.flatMap((value) => {
        const known = knownValue(value);
        return known ? [[value.name, known]] : [];
      }),
    ),
  };
  checkDefinitions(file, stored);
  return file;
}

function decoded({ bytes, label }: Source): RawModel {
  let model: RawModel;
  try {
    model = ModelProto.toObject(ModelProto.decode(bytes), { arrays: true, defaults: true }) as RawModel;
  } catch (thrown) {
    throw new EmacError('data', `${label}: is not an ONNX network (${messageOf(thrown)}); export it again`, {
      cause: thrown,
    });
  }
  if (model.graph && model.graph.output.length > 0) return model;
  throw new EmacError(
    'data',
    `${label}: is not an ONNX network: it has no graph with outputs; export it again`,
  );
}

const opsetOf = (raw: RawModel): number | undefined =>
  raw.opsetImport
    .filter(({ domain }) => domain === '' || domain === 'ai.onnx')
    .map(({ version }) => toNumber(version))[0];

function checkVersions(raw: RawModel, label: string): void {
  const check = (what: string, version: number | undefined, [low, high]: readonly [number, number]) => {
    if (version === undefined || !(version >= low && version <= high))
      throw new EmacError(
        'data',
        `${label}: ${what} must be ${low} … ${high}, got ${version ?? 'none'}; export it for a version between`,
      );
  };
  check('IR version', toNumber(raw.irVersion), irVersions);
  check('opset', opsetOf(raw), opsets);
  const [first] = raw.functions;
  if (first)
    throw new EmacError(
      'data',
      `${label}: functions of the file itself are not supported, got "${first.name}"; inline them (onnx.inliner) first`,
    );
}

/** Every value must be defined once, and before it is read. */
function checkDefinitions(file: ModelFile, stored: readonly StoredTensor[]): void {
  const fail = (rule: string) => new EmacError('data', `${file.label}: ${rule}; the file is damaged`);
  const defined = new Set<string>();
  const define = (name: string) => {
    if (defined.has(name)) throw fail(`value "${name}" is defined twice`);
    defined.add(name);
  };
  for (const { name } of [...stored, ...file.inputs]) define(name);
  for (const node of file.nodes) {
    for (const name of node.inputs)
      if (name !== '' && !defined.has(name))
        throw fail(`node "${node.name}" (${node.type}) reads "${name}", but no earlier node defines it`);
    for (const name of node.outputs) if (name !== '') define(name);
  }
  for (const { name } of file.outputs)
    if (!defined.has(name)) throw fail(`output "${name}" is not defined by any node`);
}

function attributeValue(raw: RawAttribute, source: Source): AttributeValue {
  switch (raw.type) {
    case 1:
      return raw.f;
    case 2:
      return toNumber(raw.i);
    case 3:
      return new TextDecoder().decode(raw.s);
    case 4:
      return raw.t ? storedTensor({ ...raw.t, name: raw.name }, source) : { kind: 4 };
    case 6:
      return raw.floats;
    case 7:
      return raw.ints.map(toNumber);
    default:
      return { kind: raw.type };
  }
}

function storedTensor(raw: RawTensor, source: Source): StoredTensor {
  const place = `${source.label}, tensor "${raw.name}"`;
  const element = elementOf(raw.dataType, place);
  const shape = raw.dims.map(toNumber);
  const size = elementCount(shape) * element.bytes;
  if (shape.some((dimension) => dimension < 0) || !Number.isSafeInteger(size))
    throw new EmacError(
      'data',
      `${place}: dimensions must be counts, got [${shape.join(', ')}]; the file is damaged`,
    );
  const common = { name: raw.name, shape, element };
  if (raw.dataLocation === 1) {
    const entry = (key: string) => raw.externalData.find((pair) => pair.key === key)?.value;
    const external = { location: entry('location'), offset: entry('offset'), length: entry('length') };
    return {
      ...common,
      bytes: null,
      place: externalPlace(external, { folder: source.folder, bytes: size, place }),
    };
  }
  const bytes = inlineBytes(raw, element.name);
  if (bytes.byteLength !== size)
    throw new EmacError(
      'data',
      `${place}: ${element.name} [${shape.join(', ')}] needs ${size} bytes, got ${bytes.byteLength}; the file is damaged`,
    );
  return { ...common, bytes, place: placeWithin(bytes, source) };
}

function inlineBytes(raw: RawTensor, type: string): Uint8Array {
  if (raw.rawData.byteLength > 0) return raw.rawData;
  const bytes = ({ buffer }: { buffer: ArrayBuffer }) => new Uint8Array(buffer);
  switch (type) {
    case 'float':
      return bytes(Float32Array.from(raw.floatData));
    case 'double':
      return bytes(Float64Array.from(raw.doubleData));
    case 'int64':
      return bytes(BigInt64Array.from(raw.int64Data.map((value) => BigInt(value.toString()))));
    case 'int32':
      return bytes(Int32Array.from(raw.int32Data));
    case 'bool':
      return Uint8Array.from(raw.int32Data);
    default:
      return bytes(Uint16Array.from(raw.int32Data));
  }
}

/** Raw bytes are views into the file's bytes, so their offset in it is known. */
function placeWithin(part: Uint8Array, { bytes, path }: Source): FilePlace | null {
  if (path === null || part.buffer !== bytes.buffer) return null;
  return { file: path, offset: part.byteOffset - bytes.byteOffset, length: part.byteLength };
}

function declaredValue(raw: RawValue, label: string): ModelValue {
  const tensor = raw.type?.tensorType;
  if (!tensor)
    throw new EmacError(
      'data',
      `${label}, value "${raw.name}": must be a tensor; sequences, maps and optionals are not supported`,
    );
  const element = elementOf(tensor.elemType, `${label}, value "${raw.name}"`);
  return { name: raw.name, type: element.type, shape: declaredShape(raw) };
}

/** As `declaredValue`, but null instead of an error: the value may never be used. */
function knownValue(raw: RawValue): ModelValue | null {
  try {
    return declaredValue(raw, '');
  } catch {
    return null;
  }
}

function declaredShape({ name, type }: RawValue): Shape | null {
  const dimensions = type?.tensorType?.shape?.dim;
  return (
    dimensions?.map(
      ({ dimParam, dimValue }, axis) => dimensionOf(dimParam, toNumber(dimValue)) ?? `${name}_${axis}`,
    ) ?? null
  );
}

/** A symbol keeps its name, except for signs with a meaning in dimension arithmetic. */
function dimensionOf(text: string, value: number): Dimension | null {
  if (text === '') return value > 0 ? value : null;
  const symbol = text.replace(/[^\w.]/g, '_');
  return /^\d/.test(symbol) ? `_${symbol}` : symbol;
}
