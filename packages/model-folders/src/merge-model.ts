/**
 * Merges an adapter into a model folder's weights, for programs without adapter support. Files are copied, and merged weights written
 * beside them; the folder appears complete or not at all.
 */
import { closeSync, openSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import {
  adapterLayout,
  adapterScale,
  checkAdapter,
  isAdapterFolder,
  openModelFiles,
  readAdapter,
  weightFileNames,
  type Adapter,
  type ModelFiles,
} from '@emac/backbone';
import { EmacError, type ParameterSet } from '@emac/core';
import {
  canonicalJson,
  createFolder,
  discard,
  isFolder,
  isThere,
  openSafetensors,
  requireSpace,
  readText,
  writeFileAtomic,
} from '@emac/files';
import { modelPath, readForm } from '@emac/opening';
import { loadCheckpoint, resolveCheckpoint } from '@emac/runs';
import { companionsIn } from './companion-files.ts';
import { mergedCard, type MergedFacts } from './merged-card.ts';
import { checkMerged } from './merged-check.ts';
import {
  addedWeights,
  floatTypes,
  mergedBytes,
  writeMerged,
  type Changes,
  type FloatType,
} from './merged-weights.ts';
import {
  cardName,
  checkFits,
  checkOut,
  contents,
  copiedName,
  copyFile,
  synced,
  unusedWeights,
  writeWhole,
  type Content,
} from './model-folder.ts';

export interface ModelMerge {
  /** emma-tiny or a model folder with weights in safetensors */
  readonly base: string;
  /** a PEFT adapter folder, or a run or checkpoint with an adapter, whose projection is merged too */
  readonly adapter: string;
  /** the folder to create */
  readonly out: string;
  /** default: as the base stores them */
  readonly dtype?: FloatType | null;
  /** date for `merge_metadata.json`; default: none */
  readonly date?: Date | null;
}

export interface MergedModel {
  readonly folder: string;
  /** number of merged projections */
  readonly merged: number;
  /** whether the checkpoint's projection is in the model too */
  readonly projection: boolean;
  /** unread copies of the base's weights: not copied */
  readonly leftOut: readonly string[];
}

/**
 * Writes the folder. Errors: `cannot-create` if `out` exists or lies inside the base; `missing`; `config` and `data` for a damaged
 * base or adapter, or an adapter of another base; `usage` for a model without safetensors or a policy that does not fit a model
 * folder; `io`.
 */
export async function mergeModel({
  base: named,
  adapter: place,
  out,
  dtype = null,
  date = null,
}: ModelMerge): Promise<MergedModel> {
  const base = modelFolderOf(named);
  checkOut(out, base);
  const files = weightFileNames(base);
  const shards = files.filter((name) => name.endsWith('.safetensors'));
  if (shards.length === 0)
    throw new EmacError(
      'usage',
      `${base}: its weights must be safetensors to be merged; save the model as safetensors first`,
    );
  const model = openModelFiles(base);
  const given = await policyOf(place, model);
  const { adapter } = given;
  checkAdapter(adapter, model, place);
  const stored = shards.flatMap((name) => [...openSafetensors(join(base, name)).tensors.keys()]);
  const nameInFiles = new Map(stored.map((name) => [model.family.nameOf(name), name]));
  const scale = adapterScale(adapter.settings);
  const changes: Changes = {
    added: addedWeights(adapter, { nameInFiles, scale }),
    replaced: replacedWeights(given.projection, nameInFiles),
    dtype,
  };
  const all = contents(base);
  const unused = unusedWeights(base, all);
  const kept = all.filter((each) => !unused.includes(each) && !files.includes(each.name));
  const facts = {
    base: basename(resolve(named)),
    adapter: basename(resolve(place)),
    adapterSettings: adapter.settings,
    scale,
    dtype,
    projection: given.projection !== null,
  };
  write({ base, out, given, changes, files, kept, facts, date });
  return {
    folder: out,
    merged: changes.added.size,
    projection: facts.projection,
    leftOut: unused.map(({ name }) => name),
  };
}

interface Writing extends Pick<ModelMerge, 'base' | 'out'> {
  readonly given: Given;
  readonly changes: Changes;
  /** of the base: its weights, their index, and all other files to copy */
  readonly files: readonly string[];
  readonly kept: readonly Content[];
  readonly facts: MergedFacts;
  readonly date: Date | null;
}

function write({ base, out, given, changes, files, kept, facts, date }: Writing): void {
  const shards = files.filter((name) => name.endsWith('.safetensors'));
  const bytes = shards.reduce((sum, name) => sum + mergedBytes(join(base, name), changes), 0);
  createFolder(dirname(out));
  requireSpace(dirname(out), bytes + kept.reduce((sum, { size }) => sum + size, 0));
  const own = companionsIn(given.folder);
  const { rank, alpha } = facts.adapterSettings;
  const metadata = {
    v: 1,
    ...facts,
    adapter_path: resolve(given.folder),
    r: rank,
    alpha,
    dtype: facts.dtype ?? storedType(shards.map((name) => join(base, name))),
    date: date && date.toISOString(),
    merged: [...changes.added.keys()].sort(),
  };
  writeWhole(out, (temporary) => {
    const at = (name: string) => join(temporary, name);
    for (const { name } of kept) copyInto(join(base, name), at(copiedName(name)));
    for (const { name } of own) copyInto(join(given.folder, name), at(name));
    for (const name of shards) {
      createFolder(dirname(at(name)));
      closeSync(openSync(at(name), 'wx'));
      synced(at(name), (descriptor) => writeMerged(join(base, name), descriptor, changes));
    }
    for (const name of files) if (!shards.includes(name)) writeIndex(join(base, name), at(name), bytes);
    if (facts.dtype !== null) writeConfig(join(base, 'config.json'), at('config.json'), facts.dtype);
    writeFileAtomic(at('merge_metadata.json'), `${canonicalJson(metadata, 2)}\n`);
    writeFileAtomic(at(cardName), mergedCard(facts));
    const beside = [...kept.map(({ name }) => copiedName(name)), ...own.map(({ name }) => name)];
    checkMerged(temporary, { base, shards, files: beside });
  });
}

/** The number type in weight files. */
function storedType(paths: readonly string[]): FloatType | 'mixed' {
  const types = new Set(
    paths.flatMap((path) => [...openSafetensors(path).tensors.values()].map(({ dtype }) => dtype)),
  );
  const found = (Object.keys(floatTypes) as FloatType[]).filter((type) => types.has(floatTypes[type]));
  return found.length === 1 ? found[0]! : 'mixed';
}

function modelFolderOf(named: string): string {
  const path = modelPath(named);
  if (isFolder(path)) return path;
  throw new EmacError(
    'usage',
    `${named}: is composed of parts and has no folder to copy; give a model folder`,
  );
}

interface Given {
  /** where the adapter's files are */
  readonly folder: string;
  readonly adapter: Adapter;
  /** null for an adapter alone, or a model that reads text alone */
  readonly projection: ParameterSet | null;
}

/**
 * Errors: `data` for a checkpoint of another model; `usage` for one without an adapter, or with a projection that does
 * not fit a model folder.
 */
async function policyOf(place: string, model: ModelFiles): Promise<Given> {
  if (isAdapterFolder(place) && !isThere(join(place, 'MANIFEST.json')))
    return { folder: place, adapter: readAdapter(place), projection: null };
  if (isFolder(place) && !isThere(join(place, 'checkpoints')) && !isThere(join(place, 'MANIFEST.json')))
    throw new EmacError(
      'missing',
      `${place}: holds no ${adapterLayout.config}; give an adapter as PEFT writes it, or a run`,
    );
  const { folder } = resolveCheckpoint(place);
  const { projection, state, manifest } = loadCheckpoint(folder);
  if (!isAdapterFolder(folder))
    throw new EmacError(
      'usage',
      `${place}: has no adapter to merge; export it with emac ckpt export --whole`,
    );
  await checkFits(model, {
    place,
    form: readForm(state, folder),
    manifest,
    instead: {
      ofProjection: 'export its adapter with emac ckpt export and merge that',
      ofModel: 'give that model',
    },
  });
  return { folder, adapter: readAdapter(folder), projection: projection.size > 0 ? projection : null };
}

/** By the tensors' names in the files. */
function replacedWeights(
  projection: ParameterSet | null,
  nameInFiles: ReadonlyMap<string | null, string>,
): Map<string, Float32Array> {
  return new Map([...(projection ?? [])].map(([name, { data }]) => [nameInFiles.get(name)!, data]));
}

function copyInto(source: string, target: string): void {
  createFolder(dirname(target));
  discard(target);
  copyFile(source, target, false);
}

/** The index of shards: the same tensors, the new total size. */
function writeIndex(source: string, target: string, bytes: number): void {
  const index = json(source);
  const metadata = { ...(index['metadata'] as object | undefined), total_size: bytes };
  writeFileAtomic(target, `${JSON.stringify({ ...index, metadata }, null, 2)}\n`);
}

/** The configuration with the new weight type wherever it states one. */
function writeConfig(source: string, target: string, dtype: FloatType): void {
  const changed = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => [
        key,
        (key === 'dtype' || key === 'torch_dtype') && typeof each === 'string' ? dtype : changed(each),
      ]),
    );
  };
  writeFileAtomic(target, `${JSON.stringify(changed(json(source)), null, 2)}\n`);
}

function json(path: string): Readonly<Record<string, unknown>> {
  return JSON.parse(readText(path)) as Record<string, unknown>;
}
