/** Opening the model: its files, its identity, and TensorFlow.js for the projection. */
import { homedir } from 'node:os';
import { readdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import {
  int8CopyPath,
  int8ModelFiles,
  layerPlace,
  leastWeightBytes,
  modelIdentity,
  openModelFiles,
  withMaxPixels,
  type ModelFiles,
} from '@emac/backbone';
import { EmacError } from '@emac/core';
import { isFolder, isThere } from '@emac/files';
import { loadTensorflow, type LoadedTensorflow } from '@emac/model';
import { nearestCommand } from '@emac/postprocess';
import { shippedModelFolder, shippedModels, smallNetworkOf, type ModelConfig } from '@emac/settings';
import type { Host } from '../host.ts';
import { shareOf } from '../memory-limit.ts';

export interface OpenModel {
  /** a folder, or the JSON file of a composed model */
  readonly folder: string;
  readonly files: ModelFiles;
  /** SHA-256 of the frozen networks, as checkpoints record it */
  readonly identity: string;
  readonly tensorflow: LoadedTensorflow;
  readonly provider: ModelConfig['provider'];
  readonly layers: ModelConfig['layers'];
  readonly activations: ModelConfig['activations'];
  readonly savings: ModelConfig['savings'];
  readonly rows: ModelConfig['rows'];
  /** of kept keys and values; 0: none are kept */
  readonly contextBytes: number;
  /** of kept features of pictures */
  readonly featureBytes: number;
  /** one sentence if the weights in use are not those requested, else null */
  readonly note: string | null;
}

/** The path that a name stands for. Errors: `missing`, `usage` for a file that is not JSON. */
export function modelPath(name: string): string {
  const path = shippedModelFolder(name) ?? name;
  if (!isThere(path))
    throw new EmacError('missing', `model ${name}: ${path} does not exist; ${whereToFind(name)}`);
  if (!isFolder(path) && !path.endsWith('.json'))
    throw new EmacError(
      'usage',
      `model ${name}: is a file; give a model folder as Hugging Face publishes it, or a JSON file that names a model's parts`,
    );
  return path;
}

/** A name as the Hugging Face hub has them is fetched; a shipped model's word or a neighbour's name may have been meant. */
function whereToFind(name: string): string {
  const all = `give ${shippedModels.join(', ')}, a model folder, or a JSON file that names a model's parts`;
  if (smallNetworkOf({ policy: name }))
    return `a small network (mlp, cnn, an .onnx file) is a policy of emac train, not a model; otherwise ${all}`;
  if (/^[A-Za-z0-9][\w.-]*\/[A-Za-z0-9][\w.-]*$/.test(name) && !isThere(dirname(name)))
    return `for a name on the Hugging Face hub, fetch it with emac model fetch ${name}; otherwise ${all}`;
  const near = nearestCommand(basename(name), [
    ...shippedModels,
    ...['mlp', 'cnn'],
    ...modelFoldersIn(dirname(name)),
  ]);
  return near ? `did you mean ${near.command}? Otherwise ${all}` : all;
}

function modelFoldersIn(folder: string): string[] {
  if (!isFolder(folder)) return [];
  return readdirSync(folder).filter((each) => isThere(join(folder, each, 'config.json')));
}

/** The name of a shipped model or network, present in every installation; else its path. Errors: those of `modelPath`. */
export function modelName(name: string): string {
  const network = smallNetworkOf({ policy: name });
  if (network) return network.file === null ? name : resolve(network.file);
  return shippedModels.includes(name) ? name : resolve(modelPath(name));
}

/** The files of a model that a policy is made of; null for a small network. Errors: those of opening them. */
export function modelFilesOf(policy: string): ModelFiles | null {
  return smallNetworkOf({ policy }) ? null : openModelFiles(modelPath(policy));
}

/** A model to open; a pixel limit changes its view, not networks or identity. */
export type OpenedAs = ModelConfig & { readonly maxPixels?: number | null };

/**
 * Opens a model; errors: those of its files, `unavailable` for a missing backend, `usage` for a pixel limit without
 * meaning.
 */
export async function openModel(
  config: OpenedAs,
  { env, trial, memory }: Pick<Host, 'env' | 'trial' | 'memory'>,
): Promise<OpenModel> {
  const folder = modelPath(config.path);
  const stored = openModelFiles(folder);
  const { provider, layers, activations, weights, savings, rows, contextMemory } = config;
  memory?.require({
    what: `the weights of ${config.path}`,
    bytes: leastWeightBytes(stored, layerPlace(stored, provider, layers === 'auto' ? undefined : layers)),
    lower: 'give --layers streamed or a smaller --model',
  });
  const tensorflow = await loadTensorflow(config.tfBackend);
  const identity = await modelIdentity(stored);
  const copy = { identity, folder: cacheFolder(env) };
  const isLeft = weights === 'int8' && trial !== undefined && !isThere(int8CopyPath(copy));
  const read = weights === 'int8' && !isLeft ? await int8ModelFiles(stored, copy) : stored;
  const files = config.maxPixels == null ? read : withMaxPixels(read, config.maxPixels);
  const note = isLeft
    ? `--weights int8: ${int8CopyPath(copy)} does not exist yet; measured with the weights as stored`
    : null;
  return {
    folder,
    files,
    identity,
    tensorflow,
    provider,
    layers,
    activations,
    savings,
    rows,
    contextBytes: shareOf(memory, { usual: (contextMemory ?? 0) * 2 ** 20, part: 1 / 4 }),
    featureBytes: shareOf(memory, { usual: usualFeatureBytes, part: 1 / 8 }),
    note,
  };
}

/** Holds thousands of InstructBLIP's frames (98 kB each), or about twenty tiled pictures (up to 12 MB each). */
const usualFeatureBytes = 2 ** 28;

/** Folder for copies of models, by the XDG base directory specification. */
export function cacheFolder(env: Host['env']): string {
  const base = env['XDG_CACHE_HOME'];
  return join(base === undefined || base === '' ? join(homedir(), '.cache') : base, 'emac');
}

/** The computing backend in one line; the run's record says why better backends are not in use. */
export function inUse({ tensorflow, provider }: OpenModel): string {
  return `in use: ONNX Runtime ${provider}, TensorFlow.js ${tensorflow.note.split('; ')[0]}`;
}

/** Everything besides the weights that affects a model's numbers; compared if several processes compute for one run. */
export interface Computing {
  readonly provider: string;
  readonly tensorflow: string;
}

/** Why better backends are not in use does not matter. */
export function computingOf({ provider, tensorflow }: Pick<OpenModel, 'provider' | 'tensorflow'>): Computing {
  return { provider, tensorflow: tensorflow.note.split('; ')[0]! };
}
