/**
 * The values that a pickle can hold here. Lists and tuples are arrays, dictionaries are maps. Nothing is ever called: a
 * name of Python code is text. Tensors are built here; all other calls give opaque values.
 */
import type { Dtype } from '@emac/files';

/** A name of Python code, `module.name`. */
export class Global {
  constructor(readonly name: string) {}
}

/** A value without a known meaning; it matters only where a tensor is needed. */
export class Opaque {
  constructor(readonly what: string) {}
}

/** A block of numbers in the archive entry `data/<key>`. */
export class Storage {
  constructor(
    readonly dtype: Dtype,
    readonly key: string,
    readonly elements: number,
  ) {}
}

/** A tensor: a view of a storage; offset and stride in elements. */
export class TensorView {
  constructor(
    readonly storage: Storage,
    readonly offset: number,
    readonly layout: { readonly shape: readonly number[]; readonly stride: readonly number[] },
  ) {}
}

const storageTypes: Readonly<Record<string, Dtype>> = {
  'torch.FloatStorage': 'F32',
  'torch.HalfStorage': 'F16',
  'torch.BFloat16Storage': 'BF16',
  'torch.DoubleStorage': 'F64',
  'torch.LongStorage': 'I64',
  'torch.IntStorage': 'I32',
  'torch.ShortStorage': 'I16',
  'torch.CharStorage': 'I8',
  'torch.ByteStorage': 'U8',
  'torch.BoolStorage': 'BOOL',
};

type Builder = (args: readonly unknown[]) => unknown;

const builders: Readonly<Record<string, Builder>> = {
  'torch._utils._rebuild_tensor': tensorView,
  'torch._utils._rebuild_tensor_v2': tensorView,
  'torch._utils._rebuild_parameter': ([tensor]) => tensor,
  'torch._utils._rebuild_parameter_with_state': ([tensor]) => tensor,
  'torch.Size': ([sizes]) => sizes,
  'collections.OrderedDict': (args) =>
    args.length === 0 ? new Map() : new Opaque('collections.OrderedDict'),
};

/** The result of calling `callable`: one of a few known values, or an opaque value. */
export function built(callable: unknown, args: unknown): unknown {
  if (!(callable instanceof Global)) return new Opaque('a value of unknown code');
  const builder = Object.hasOwn(builders, callable.name) ? builders[callable.name]! : null;
  return builder && Array.isArray(args)
    ? builder(args)
    : new Opaque(`a value of ${callable.name.slice(0, 80)}`);
}

/** The value of a persistent id `('storage', type, key, location, elements)`. */
export function storageOf(id: unknown): Storage | Opaque {
  const [kind, type, key, , elements] = Array.isArray(id) ? (id as unknown[]) : [];
  const name = type instanceof Global ? type.name : '';
  if (kind !== 'storage' || typeof key !== 'string' || !isCount(elements))
    return new Opaque('a damaged storage');
  if (!Object.hasOwn(storageTypes, name))
    return new Opaque(`a storage of ${name.slice(0, 80) || 'unknown type'}`);
  return new Storage(storageTypes[name]!, key, elements);
}

function tensorView([storage, offset, shape, stride]: readonly unknown[]): TensorView | Opaque {
  if (storage instanceof Opaque) return storage;
  const fits = storage instanceof Storage && isCount(offset) && isCounts(shape) && isCounts(stride);
  if (!fits || shape.length !== stride.length) return new Opaque('a damaged tensor');
  return new TensorView(storage, offset, { shape, stride });
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isCounts(value: unknown): value is number[] {
  return Array.isArray(value) && value.length <= 16 && value.every(isCount);
}
