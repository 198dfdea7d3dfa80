/**
 * Exports a whole model folder with a trained projection, in Hugging Face's layout. Files are copied; only weight files that hold the
 * projection have some bytes replaced, so nothing large is ever in memory. The folder appears complete or not at all.
 */
import { writeSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isAdapterFolder, openModelFiles, type ModelFiles, type TensorPlace } from '@emac/backbone';
import { EmacError } from '@emac/core';
import { createFolder, isFolder, requireSpace, writeFileAtomic } from '@emac/files';
import { modelOfRun, modelPath, projectionNames, readForm, runOf } from '@emac/opening';
import { loadCheckpoint, resolveCheckpoint } from '@emac/runs';
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
import { modelCard } from './model-card.ts';
import { runFacts, standingAt } from './run-facts.ts';
import { storedFloats } from './stored-floats.ts';

export interface ModelExport {
  /** a run, RUN@best or a checkpoint folder */
  readonly checkpoint: string;
  /** the folder to create */
  readonly out: string;
  /** the trained model; null: the one named in the run, else emma-tiny */
  readonly model: string | null;
  /** unchanged weight files become hard links if possible; default false */
  readonly links?: boolean;
}

export interface ExportedModel {
  readonly folder: string;
  /** files that hold the projection, by name */
  readonly changed: readonly string[];
  /** unread model files with other copies of the weights and the old projection: not copied */
  readonly leftOut: readonly string[];
}

/**
 * Writes the folder. Errors: `cannot-create` if `out` exists, `missing`, `data` (damaged, or of another model), `usage` for a
 * projection or model that does not fit the layout, `io`.
 */
export async function exportModel(asked: ModelExport): Promise<ExportedModel> {
  const { out, links = false } = asked;
  const { folder, name: step } = resolveCheckpoint(asked.checkpoint);
  const run = runOf(folder);
  const { projection, state, manifest } = loadCheckpoint(folder);
  const form = readForm(state, folder);
  if (isAdapterFolder(folder))
    throw new EmacError(
      'usage',
      `${asked.checkpoint}: has an adapter of the language model; write the model with emac model export BASE ${asked.checkpoint} OUT`,
    );
  const named = asked.model ?? (run === null ? 'emma-tiny' : modelOfRun(run));
  const base = requireFolder(modelPath(named), named);
  checkOut(out, base, `--out ${out}`);
  const files = openModelFiles(base);
  const identity = await checkFits(files, {
    place: asked.checkpoint,
    form,
    manifest,
    instead: { ofProjection: 'export the projection', ofModel: 'give that model with --model' },
  });
  const changes = projectionNames(files).map((name) =>
    change(files, { name, values: projection.get(name), folder }),
  );
  const standing = standingAt(state);
  const card = modelCard({
    checkpoint: step,
    baseModel: basename(named),
    identity,
    family: files.family,
    dtype: changes[0]!.place.dtype,
    games: manifest.games,
    standing,
    form,
    run: run === null ? null : runFacts(run, { checkpoint: step, updates: standing.updates }),
  });
  const all = contents(base);
  const unused = unusedWeights(base, all);
  write(base, { out, links, changes, card, contents: all.filter((each) => !unused.includes(each)) });
  return {
    folder: out,
    changed: [...new Set(changes.map(({ file }) => file))],
    leftOut: unused.map(({ name }) => name),
  };
}

function requireFolder(path: string, named: string): string {
  if (isFolder(path)) return path;
  throw new EmacError(
    'usage',
    `--model ${named}: is composed of parts and has no folder to copy; export the projection`,
  );
}

interface Change {
  readonly place: TensorPlace;
  /** the file's name in the folder */
  readonly file: string;
  readonly bytes: Uint8Array;
}

interface Trained {
  readonly name: string;
  readonly values: { readonly data: Float32Array } | undefined;
  /** of the checkpoint */
  readonly folder: string;
}

function change(files: ModelFiles, { name, values, folder: checkpoint }: Trained): Change {
  const place = files.locate(name);
  const file = place?.path.slice(dirname(place.path).length + 1);
  if (!place || !file?.endsWith('.safetensors'))
    throw new EmacError(
      'usage',
      `${files.folder}: its weights must be safetensors to be exported; save the model as safetensors first`,
    );
  if (!values) throw new EmacError('data', `${checkpoint}: has no ${name}`);
  const bytes = storedFloats(values.data, place.dtype, `${checkpoint}, tensor ${name}`);
  if (bytes.byteLength !== place.length)
    throw new EmacError(
      'data',
      `${checkpoint}: ${name} has ${values.data.length} values, ${files.folder} has room for ${place.shape.join(' × ')}`,
    );
  return { place, file, bytes };
}

interface Writing extends Pick<ModelExport, 'out'> {
  readonly links: boolean;
  readonly changes: readonly Change[];
  readonly card: string;
  /** the model's files to copy or link */
  readonly contents: readonly Content[];
}

function write(base: string, { out, links, changes, card, contents }: Writing): void {
  createFolder(dirname(out));
  const changed = new Set(changes.map(({ file }) => file));
  const copied = contents.filter(({ name }) => !links || changed.has(name));
  requireSpace(
    dirname(out),
    copied.reduce((sum, { size }) => sum + size, 0),
  );
  writeWhole(out, (temporary) => {
    for (const { name } of contents) {
      const target = join(temporary, copiedName(name));
      createFolder(dirname(target));
      copyFile(join(base, name), target, links && !changed.has(name));
    }
    for (const each of changes) replaceBytes(join(temporary, each.file), each);
    writeFileAtomic(join(temporary, cardName), card);
  });
}

function replaceBytes(path: string, { place, bytes }: Change): void {
  synced(path, (descriptor) => {
    for (let done = 0; done < bytes.byteLength;)
      done += writeSync(descriptor, bytes, done, bytes.byteLength - done, place.offset + done);
  });
}
