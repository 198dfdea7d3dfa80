/** Puts files into a model repository of the Hugging Face hub, as one commit of its client library. `HF_ENDPOINT` names another server with the same interface. */
import { openAsBlob } from 'node:fs';
import { HubApiError, createRepo, uploadFiles } from '@huggingface/hub';
import { EmacError, reasonOf } from '@emac/core';
import { EnvHttpProxyAgent, fetch as fetchThrough } from 'undici';
import { proxiesIn, type Environment } from './connection.ts';
import type { HubModel } from './hub.ts';

export interface Push {
  readonly model: HubModel;
  /** paths on disk by paths in the repository */
  readonly files: ReadonlyMap<string, string>;
  readonly title: string;
  /** for a repository that does not exist yet; one that exists keeps its own */
  readonly isPublic: boolean;
}

/** Creates the repository where it is missing and returns the commit's address. Errors: `auth` without a key or for a refused one, `unavailable`. */
export async function pushFiles({ model, files, title, isPublic }: Push, env: Environment): Promise<string> {
  const { HF_TOKEN: accessToken } = env;
  const { id, endpoint } = model;
  if (!accessToken) throw new EmacError('auth', 'HF_TOKEN: is not set; give a key of the hub that may write');
  const agent = new EnvHttpProxyAgent(proxiesIn(env));
  const common = {
    repo: { type: 'model' as const, name: id },
    accessToken,
    hubUrl: endpoint,
    fetch: ((url: string, init: object) => fetchThrough(url, { ...init, dispatcher: agent })) as typeof fetch,
  };
  try {
    await createRepo({ ...common, visibility: isPublic ? 'public' : 'private' }).catch(unlessThere);
    const content = await Promise.all(
      [...files].map(async ([path, file]) => ({ path, content: (await openAsBlob(file)) as Blob })),
    );
    const done = await uploadFiles({ ...common, files: content, commitTitle: title, useXet: false });
    return done?.commit.url ?? `${endpoint}/${id}`;
  } catch (thrown) {
    throw new EmacError(...faultOf(thrown, model), { cause: thrown });
  } finally {
    await agent.destroy();
  }
}

/** status of a repository that exists */
const conflict = 409;

function unlessThere(thrown: unknown): void {
  if (!(thrown instanceof HubApiError && thrown.statusCode === conflict)) throw thrown;
}

function faultOf(thrown: unknown, { id, endpoint }: HubModel): ['auth' | 'unavailable', string] {
  const place = `${endpoint}/${id}`;
  if (thrown instanceof HubApiError && (thrown.statusCode === 401 || thrown.statusCode === 403))
    return [
      'auth',
      `${place}: refuses the key in HF_TOKEN (status ${thrown.statusCode}); it must be allowed to write there`,
    ];
  return ['unavailable', `${place}: nothing was pushed: ${reasonOf(thrown)}; try again later`];
}
