/**
 * The source of a policy: its projection, if its model sees, and its adapter. A name may mean the model's own, a random one, a run, a checkpoint,
 * another model, a folder with a PEFT adapter, or a published `.pth`. A checkpoint records the frozen networks it was
 * trained with, and is refused for others.
 */
import { join } from 'node:path';
import {
  checkAdapter,
  isAdapterFolder,
  openModelFiles,
  readAdapter,
  readTrainedParts,
  visionOf,
  type Adapter,
  type ModelFiles,
  type VisionNorm,
} from '@emac/backbone';
import { EmacError, type ParameterSet, type Random } from '@emac/core';
import { isFile, isThere } from '@emac/files';
import { shapeOf, type ProjectionKind } from '@emac/model';
import { loadCheckpoint, resolveCheckpoint } from '@emac/runs';
import { shippedModels } from '@emac/settings';
import { modelPath, type OpenModel } from './model.ts';
import { readForm, type PolicyForm } from './policy-form.ts';
import { splitVisionNorm } from './vision-norm.ts';

/** A projection to begin with. */
export interface StartingProjection {
  readonly kind: ProjectionKind;
  /** width after the first layer, where there are more */
  readonly hidden: number | null;
  readonly parameters: ParameterSet | Random;
}

export interface ProjectionStart {
  /** null for a model that reads text alone */
  readonly projection: StartingProjection | null;
  /** of the language model; null without one */
  readonly adapter: Adapter | null;
  /** of the vision model's end, trained with the projection; null for the model's own */
  readonly visionNorm: VisionNorm | null;
  /** ids of games it was trained on */
  readonly games: readonly string[];
  /** its recorded form; null if unknown */
  readonly form: PolicyForm | null;
  /** one sentence on skipped checks; null if there were none */
  readonly note: string | null;
}

/** the values for a projection alone */
const bare = { adapter: null, visionNorm: null, games: [], form: null, note: null };

/** True for a folder that holds an adapter and no checkpoint: PEFT's. */
function isAdapterAlone(reference: string): boolean {
  return isAdapterFolder(reference) && !isThere(join(reference, 'MANIFEST.json'));
}

/** True for parameters not trained here, without information on games: a model, a published file, a foreign adapter. */
export function isOfOthers(reference: string): boolean {
  return isModel(reference) || isFile(reference) || isAdapterAlone(reference);
}

/** True for a name that stands for a model: its folder, or a JSON file that names its parts. */
export function isModel(reference: string): boolean {
  if (shippedModels.includes(reference)) return true;
  if (isFile(reference)) return reference.endsWith('.json');
  return isThere(join(reference, 'config.json'));
}

/**
 * For policies that start from trained parameters. Errors: `usage` for another model than the opened one, since its
 * projection does not fit.
 */
export function requireNoOtherModel(init: string, { folder }: Pick<OpenModel, 'folder'>): void {
  if (!isModel(init) || modelPath(init) === folder) return;
  throw new EmacError(
    'usage',
    `--init ${init}: must be a run or a checkpoint of ${folder}, but is another model; give such a run, or leave it out`,
  );
}

/** The form of a start's projection, as checkpoints record it. */
export function projectionForm({
  projection,
}: Pick<ProjectionStart, 'projection'>): PolicyForm['projection'] {
  return projection && { kind: projection.kind, hidden: projection.hidden };
}

/** The projection that a model holds: one layer, two or three, or none. */
export function ownProjection(checkpoint: ModelFiles): ProjectionStart {
  if (!checkpoint.family.vision) return { ...bare, projection: null };
  const names = projectionNames(checkpoint);
  const parameters = new Map(names.map((name) => [name, checkpoint.read(name)]));
  const { kind, hiddenWidth = null } = shapeOf(parameters);
  return { ...bare, projection: { kind, hidden: hiddenWidth, parameters } };
}

/** Names of a model's own projection, layer after layer, each weight before its bias. */
export function projectionNames({ tensors }: Pick<ModelFiles, 'tensors'>): readonly string[] {
  return [...tensors.keys()].filter((name) => name.startsWith('language_projection.'));
}

/** A new random projection. */
export function randomProjection(
  random: Random,
  kind: ProjectionKind,
  hidden: number | null,
): ProjectionStart {
  return { ...bare, projection: { kind, hidden, parameters: random } };
}

/**
 * The projection of a run, checkpoint, model or published file. Errors: `missing`, `data` (damaged, or of another
 * model).
 */
export function storedProjection(reference: string, model: OpenModel): ProjectionStart {
  if (isModel(reference)) return projectionOfModel(reference, model);
  if (isFile(reference)) {
    visionOf(model.files);
    return publishedProjection(reference);
  }
  if (isAdapterAlone(reference)) return adapterAlone(reference, model);
  const { folder } = resolveCheckpoint(reference);
  const { projection: tensors, state, manifest } = loadCheckpoint(folder);
  if (manifest.baseModel !== model.identity) throw ofAnotherModel(reference, manifest.baseModel, model);
  const form = readForm(state, folder);
  const { projection: parameters, visionNorm } = splitVisionNorm(tensors ?? new Map(), form, folder);
  const adapter = isAdapterFolder(folder) ? readAdapter(folder) : null;
  const projection = form.projection && { ...form.projection, parameters };
  return { projection, adapter, visionNorm, games: manifest.games, form, note: null };
}

/** The identity of a model is a hash, that of a small network its layers in words. */
function ofAnotherModel(reference: string, trained: string, { folder, identity }: OpenModel): EmacError {
  const isModelHash = /^[0-9a-f]{64}$/.test(trained);
  return new EmacError(
    'data',
    isModelHash
      ? `${reference}: was trained with another model (${short(trained)}) than ${folder} (${short(identity)}); give its own model with --model`
      : `${reference}: is a small network (${trained}), not a policy of a language model such as ${folder}; training goes on from it without --model`,
  );
}

/** Such a folder records at most its model's name; the projection is the model's own. */
function adapterAlone(reference: string, { files }: OpenModel): ProjectionStart {
  const adapter = readAdapter(reference);
  checkAdapter(adapter, files, reference);
  const note = `${reference}: an adapter does not identify its base model; only shapes are checked`;
  return { ...ownProjection(files), adapter, note };
}

function projectionOfModel(reference: string, model: OpenModel): ProjectionStart {
  const path = modelPath(reference);
  if (path === model.folder) return ownProjection(model.files);
  const note = `${reference}: a model folder does not identify the base of its projection; only its shape is checked`;
  return { ...ownProjection(openModelFiles(path)), note };
}

/** Such a file includes the vision norm trained with the projection, but no information on the model. */
function publishedProjection(path: string): ProjectionStart {
  const { projection, visionNorm, others } = readTrainedParts(path);
  const notes = [
    `${path}: a published checkpoint does not identify its base model; only shapes are checked`,
    visionNorm && "its ln_vision replaces the vision encoder's last norm",
    others > 0 && `its ${others} other tensors are unused, the frozen networks come from --model`,
  ];
  const note = notes.filter(Boolean).join('; ');
  return { ...bare, projection: { kind: 'linear', hidden: null, parameters: projection }, visionNorm, note };
}

function short(identity: string): string {
  return identity.slice(0, 12);
}
