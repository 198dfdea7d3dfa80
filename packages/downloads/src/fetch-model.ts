/** Downloads a model repository from the hub as a folder: the files needed to open a model, at one commit, each verified by its hash. */
import { renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { EmacError } from '@emac/core';
import {
  canonicalJson,
  createFolder,
  isThere,
  requireSpace,
  sha256,
  syncFolder,
  syncTree,
  whileWriting,
  writeFileAtomic,
} from '@emac/files';
import { shownUrl } from './address.ts';
import { download, type DownloadOptions } from './download.ts';
import { hubFileUrl, listHubFiles, type HubFile, type HubModel } from './hub.ts';
import { inWorkingFolder } from './working-folder.ts';

export interface FetchedModel {
  readonly folder: string;
  readonly commit: string;
  readonly files: number;
  readonly bytes: number;
}

export interface FetchModelOptions extends Pick<
  DownloadOptions,
  'connection' | 'headers' | 'signal' | 'attempts' | 'retryDelayMs' | 'progress'
> {
  /** branch, tag or commit; default main */
  readonly revision?: string;
}

/** Records a folder's origin. */
const origin = 'fetched.json';

/**
 * Downloads a model's files into a new folder. Stopped or killed, the same call continues. Errors: those of `download`; `data` if the
 * repository holds no model.
 */
export function fetchModel(
  model: HubModel,
  folder: string,
  { revision = 'main', headers = {}, ...options }: FetchModelOptions,
): Promise<FetchedModel> {
  return inWorkingFolder(folder, async (working) => {
    const listing = await listHubFiles(model, revision, { ...options, headers });
    const { commit } = listing;
    const files = modelFiles(listing.files, model.id);
    const bytes = files.reduce((sum, { size }) => sum + size, 0);
    const whole = join(working, commit);
    // on later calls, each file checks the space it still needs
    if (!isThere(whole)) requireSpace(working, bytes);
    await bringAll({ model, commit, files, working }, { ...options, headers });
    const from = { model: model.id, from: shownUrl(model.endpoint), revision, commit };
    writeFileAtomic(join(whole, origin), `${canonicalJson(from, 2)}\n`);
    whileWriting(folder, () => {
      syncTree(whole);
      renameSync(whole, folder);
      syncFolder(dirname(folder));
    });
    return { folder, commit, files: files.length, bytes };
  });
}

interface Bringing {
  readonly model: HubModel;
  readonly commit: string;
  readonly files: readonly HubFile[];
  readonly working: string;
}

/** Downloads files one by one into the commit's folder; their parts lie beside it, so it only ever holds complete files. */
async function bringAll(
  { model, commit, files, working }: Bringing,
  { progress, ...options }: Omit<FetchModelOptions, 'revision'>,
): Promise<void> {
  const parts = join(working, 'parts');
  createFolder(parts);
  const total = files.reduce((sum, { size }) => sum + size, 0);
  let done = 0;
  for (const { path, ...contents } of files) {
    const before = done;
    await download(
      { url: hubFileUrl(model, commit, path), ...contents },
      join(working, commit, ...path.split('/')),
      {
        ...options,
        replace: true,
        partAt: join(parts, sha256(path)),
        progress: (come) => progress?.(before + come, total),
      },
    );
    done += contents.size;
    progress?.(done, total);
  }
}

/** A model, an adapter or a pushed policy has one of them. */
const descriptions = ['config.json', 'adapter_config.json', 'MANIFEST.json'];

/** One form of the weights, if possible the one that is read in place, and their companions; no pictures, no other frameworks. */
export function modelFiles(files: readonly HubFile[], id: string): readonly HubFile[] {
  const weights = ['.safetensors', '.bin', '.pth']
    .map((ending) => files.filter(({ path }) => path.endsWith(ending)))
    .find((found) => found.length > 0);
  if (!weights || !files.some(({ path }) => descriptions.includes(path)))
    throw new EmacError(
      'data',
      `${id}: holds no ${descriptions.join(' or ')} with weights beside it; give a model in the Hugging Face layout, an adapter, or a policy from emac push`,
    );
  const isText = ({ path }: HubFile) =>
    /\.(json|txt|model|md)$/.test(path) || /(^|\/)LICENSE[^/]*$/.test(path);
  const ofWeights = new Set(weights);
  const isOther = ({ path }: HubFile) =>
    path.endsWith('.index.json') && !weights.some((each) => path.startsWith(stem(each.path)));
  return files.filter((file) => ofWeights.has(file) || (isText(file) && !isOther(file)));
}

/** `model` of `model-00001-of-00004.safetensors`; an index has the same stem. */
function stem(path: string): string {
  const [, name = path] = /^(.*?)(-\d+-of-\d+)?\.[^.]+$/.exec(path) ?? [];
  return `${name}${path.slice(path.lastIndexOf('.'))}`;
}
