/**
 * Model repositories as listed by the Hugging Face hub: a revision's commit, and every file with its size and hash. `HF_ENDPOINT` names
 * another server with the same interface.
 */
import { EmacError } from '@emac/core';
import { z } from 'zod';
import { isOfWeb, parsedUrl, shownUrl } from './address.ts';
import { requireFile } from './answer.ts';
import { safePath } from './archive/entry.ts';
import { NetworkFault, type Connection, type Environment } from './connection.ts';
import type { Contents } from './contents.ts';

export interface HubModel {
  /** `organization/name` */
  readonly id: string;
  /** address of the hub, without a trailing slash */
  readonly endpoint: string;
}

export interface HubFile extends Contents {
  /** path in the repository, with `/` between folders */
  readonly path: string;
  readonly size: number;
}

export interface HubListing {
  /** the revision's commit, 40 hexadecimal digits: files are taken from it even if the revision moves */
  readonly commit: string;
  readonly files: readonly HubFile[];
}

const usualEndpoint = 'https://huggingface.co';
const idForm = /^[\w][\w.-]*\/[\w][\w.-]*$/;

/** From `organization/name`, or the address of its page. Null for other names. Errors: `usage` for an invalid `HF_ENDPOINT`. */
export function hubModel(name: string, env: Environment): HubModel | null {
  const endpoint = endpointIn(env);
  if (idForm.test(name)) return { id: name, endpoint };
  const url = parsedUrl(name);
  const [, id] = /^\/([^/]+\/[^/]+?)(?:\/tree\/[^/]+)?\/?$/.exec(url?.pathname ?? '') ?? [];
  const isPage = url?.origin === parsedUrl(endpoint)?.origin || url?.origin === usualEndpoint;
  return isPage && id !== undefined && idForm.test(id) ? { id, endpoint: url!.origin } : null;
}

/** It is shown and recorded unchanged, so no part of it may be a key. */
function endpointIn(env: Environment): string {
  const given = env['HF_ENDPOINT'] || usualEndpoint;
  const url = parsedUrl(given);
  if (!url || !isOfWeb(url) || url.href !== `${url.origin}${url.pathname}`)
    throw new EmacError(
      'usage',
      `HF_ENDPOINT: must be an address such as ${usualEndpoint}, without name, password and query, got ${shownUrl(given)}; a key belongs in HF_TOKEN`,
    );
  return shownUrl(url).replace(/\/+$/, '');
}

/** Headers of a hub request: the key in HF_TOKEN, if set. */
export function hubHeaders(env: Environment): Record<string, string> {
  const token = env['HF_TOKEN'];
  return token ? { authorization: `Bearer ${token}` } : {};
}

const listingSchema = z.object({
  sha: z.string().regex(/^[0-9a-f]{40}$/),
  siblings: z.array(
    z.object({
      rfilename: z.string().min(1),
      size: z.number().int().min(0).optional(),
      blobId: z.string().optional(),
      lfs: z.object({ sha256: z.string().regex(/^[0-9a-f]{64}$/), size: z.number().int().min(0) }).nullish(),
    }),
  ),
});

export interface ListOptions {
  readonly connection: Connection;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

/** Asks the hub. Errors: `missing`, `auth`, `unavailable`, `data` for an unexpected answer. */
export async function listHubFiles(
  { id, endpoint }: HubModel,
  revision: string,
  { connection, headers, signal }: ListOptions,
): Promise<HubListing> {
  const url = `${endpoint}/api/models/${id}/revision/${encodeURIComponent(revision)}?blobs=true`;
  const parsed = listingSchema.safeParse(jsonOf(await answer(url, { connection, headers, signal })));
  if (!parsed.success)
    throw new EmacError(
      'data',
      `${shownUrl(url)}: does not answer as the Hugging Face hub does; check HF_ENDPOINT`,
    );
  const files = parsed.data.siblings.map(({ rfilename, size, blobId, lfs }): HubFile => {
    safePath(rfilename, id);
    const bytes = lfs?.size ?? size;
    if (bytes === undefined)
      throw new EmacError(
        'data',
        `${shownUrl(url)}: does not say how large ${rfilename} is; check HF_ENDPOINT`,
      );
    return { path: rfilename, size: bytes, ...(lfs ? { sha256: lfs.sha256 } : { gitSha1: blobId }) };
  });
  return { commit: parsed.data.sha, files };
}

/** Address of a file at a commit. */
export function hubFileUrl({ id, endpoint }: HubModel, commit: string, path: string): string {
  return `${endpoint}/${id}/resolve/${commit}/${path.split('/').map(encodeURIComponent).join('/')}`;
}

/** far above any listing */
const longestListing = 32 * 2 ** 20;

async function answer(url: string, { connection, ...options }: ListOptions): Promise<string> {
  try {
    const response = await connection.get(url, options);
    requireFile(response, url);
    const chunks: Uint8Array[] = [];
    let length = 0;
    for await (const chunk of response.body) {
      chunks.push(chunk);
      if ((length += chunk.byteLength) > longestListing)
        throw new EmacError('data', `${shownUrl(url)}: the list of files does not end; check HF_ENDPOINT`);
    }
    return Buffer.concat(chunks).toString('utf8');
  } catch (thrown) {
    if (!(thrown instanceof NetworkFault)) throw thrown;
    throw new EmacError('unavailable', `${thrown.message}; try again later`);
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
