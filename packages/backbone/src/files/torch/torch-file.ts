/**
 * The tensors of a file written by `torch.save` (torch 1.6 and later), in place. The file is a zip archive; its
 * `data.pkl` maps every tensor to a part of a stored block. Only headers and `data.pkl` are read, and nothing is
 * executed. Values other than tensors (optimizer, configuration, scaler) are skipped.
 */
import { EmacError } from '@emac/core';
import { tensorBytes, withReader, type ByteRange, type RangeReader } from '@emac/files';

import type { StoredTensor, TensorTable } from '../tensor-table.ts';
import { Opaque, TensorView, type Storage } from './pickle-values.ts';
import { isContiguous, reordered, spanOf } from './strides.ts';
import { unpickle } from './unpickle.ts';
import { contentOf, readZipEntries, type ZipEntry } from './zip-entries.ts';

const maximumPickleBytes = 64 << 20;
/** a transposed tensor is copied into memory up to this size, since a graph can only use rows as they lie */
const maximumCopyBytes = 64 << 20;

interface Archive {
  readonly reader: RangeReader;
  readonly entries: ReadonlyMap<string, ZipEntry>;
  /** the folder of all entries, with its slash */
  readonly root: string;
}

/**
 * The tensors of a file's `model` dictionary, or of the file itself if it has none, under the names given by `rename`;
 * null skips a tensor. Errors: `missing`, `data` naming file and tensor.
 */
export function readTorchTensors(path: string, rename: (name: string) => string | null): TensorTable {
  return withReader(path, (reader) => {
    const archive = openArchive(reader);
    const table = new Map<string, StoredTensor>();
    for (const [key, value] of stateOf(archive)) {
      const name = typeof key === 'string' ? rename(key) : null;
      if (name === null) continue;
      if (table.has(name)) throw fault(archive, name, 'occurs twice, under two names of the same meaning');
      table.set(name, stored(archive, name, value));
    }
    checkOverlaps(table, archive);
    return table;
  });
}

function openArchive(reader: RangeReader): Archive {
  const { path, size } = reader;
  const start = reader.read({ offset: 0, length: Math.min(4, size) });
  if (start[0] !== 0x50 || start[1] !== 0x4b)
    throw new EmacError(
      'data',
      `${path}: is not a zip archive of torch.save; save an older file again with torch.save(torch.load(FILE, map_location='cpu'), FILE)`,
    );
  const entries = readZipEntries(reader);
  const pickles = [...entries.keys()].filter((name) => /^[^/]+\/data\.pkl$/.test(name));
  if (pickles.length !== 1)
    throw new EmacError(
      'data',
      `${path}: must hold one data.pkl, holds ${pickles.length}; is it a file of torch.save?`,
    );
  return { reader, entries, root: pickles[0]!.slice(0, -'data.pkl'.length) };
}

/** Names and values of the state dictionary. */
function stateOf({ reader, entries, root }: Archive): ReadonlyMap<unknown, unknown> {
  const order = entries.get(`${root}byteorder`);
  if (order && order.size <= 16) {
    const text = new TextDecoder().decode(reader.read(contentOf(reader, order)));
    if (text !== 'little')
      throw new EmacError(
        'data',
        `${reader.path}: numbers must be stored little-endian, its byteorder is ${text}`,
      );
  }
  const pickle = entries.get(`${root}data.pkl`)!;
  if (pickle.size > maximumPickleBytes)
    throw new EmacError(
      'data',
      `${reader.path}: data.pkl may have ${maximumPickleBytes} bytes, has ${pickle.size}`,
    );
  const top = unpickle(reader.path, reader.read(contentOf(reader, pickle)));
  const model = top instanceof Map ? (top.get('model') as unknown) : null;
  const state = model instanceof Map ? model : top;
  if (state instanceof Map) return state;
  throw new EmacError(
    'data',
    `${reader.path}: must hold a dictionary of tensors, or one under "model"; save model.state_dict()`,
  );
}

function stored(archive: Archive, name: string, value: unknown): StoredTensor {
  if (!(value instanceof TensorView)) {
    const what = value instanceof Opaque ? value.what : value === null ? 'None' : `a ${typeof value}`;
    throw fault(archive, name, `must be a tensor, got ${what}`);
  }
  const { storage, layout } = value;
  const { dtype } = storage;
  const { shape } = layout;
  const length = tensorBytes(dtype, shape);
  if (Number.isNaN(length)) throw fault(archive, name, `[${shape.join(', ')}] is too large`);
  const { path } = archive.reader;
  const span = placeOf(archive, name, value);
  if (length === 0 || isContiguous(layout)) return { name, dtype, shape, path, offset: span.offset, length };
  if (length > maximumCopyBytes || span.length > maximumCopyBytes)
    throw fault(
      archive,
      name,
      `its rows are not stored one after the other, and at ${length} bytes it is too large to copy; save it with .contiguous()`,
    );
  const bytes = reordered(archive.reader.read(span), layout, length);
  return { name, dtype, shape, path, bytes };
}

/** Where a tensor's elements lie in the file, from the first to the last. */
function placeOf(archive: Archive, name: string, { storage, offset, layout }: TensorView): ByteRange {
  const width = tensorBytes(storage.dtype, []);
  const content = storageContent(archive, name, storage);
  const span = spanOf(layout);
  if (offset + span > storage.elements)
    throw fault(
      archive,
      name,
      `needs elements ${offset} to ${offset + span} of a storage of ${storage.elements}`,
    );
  return { offset: content.offset + offset * width, length: span * width };
}

function storageContent(archive: Archive, name: string, { dtype, key, elements }: Storage): ByteRange {
  const { reader, entries, root } = archive;
  const entry = entries.get(`${root}data/${key}`);
  if (!entry)
    throw fault(archive, name, `its numbers, entry data/${key.slice(0, 40)}, are not in the archive`);
  const needed = tensorBytes(dtype, [elements]);
  if (entry.size !== needed)
    throw fault(archive, name, `entry data/${key} must have ${needed} bytes, has ${entry.size}`);
  return contentOf(reader, entry);
}

/** Tensors may be identical (tied), but must not overlap in part. */
function checkOverlaps(table: TensorTable, archive: Archive): void {
  const places = [...table.values()]
    .flatMap((tensor) => ('offset' in tensor && tensor.length > 0 ? [tensor] : []))
    .sort((a, b) => a.offset - b.offset || a.length - b.length);
  places.forEach((place, index) => {
    const before = places[index - 1];
    if (!before || before.offset + before.length <= place.offset) return;
    if (before.offset === place.offset && before.length === place.length) return;
    throw fault(archive, place.name, `overlaps ${before.name}`);
  });
}

function fault({ reader }: Archive, name: string, rule: string): EmacError {
  return new EmacError('data', `${reader.path}, tensor ${name}: ${rule}`);
}
