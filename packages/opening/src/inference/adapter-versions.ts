/**
 * Versions of an adapter as folders for a server: PEFT's files, named by run, update and content; each is complete or
 * absent. One version of a run stays; earlier ones are unloaded from the server, then removed.
 */
import { readdirSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { InferenceServer, ServedVersion } from '@emac/bridge';
import {
  createFolder,
  isThere,
  sha256,
  verifyFolder,
  whileReading,
  whileWriting,
  writeFolderAtomic,
} from '@emac/files';

export interface AdapterVersions {
  /** Makes these files, by name, the version that answers; returns its name. Errors: `cannot-create`, `io`, `data`; those of the server. */
  serve(files: ReadonlyMap<string, Uint8Array>, update: number): Promise<string>;
}

export interface VersionsOptions {
  readonly server: Pick<InferenceServer, 'load' | 'unload' | 'names'>;
  /** parent folder of the versions; created if missing */
  readonly folder: string;
  /** names the run */
  readonly run: string;
}

export function adapterVersions({ server, folder, run }: VersionsOptions): AdapterVersions {
  const root = resolve(folder);
  const isOurs = (name: string): boolean =>
    name.startsWith(`${run}-v`) && /^\d+-[0-9a-f]{8}$/.test(name.slice(run.length + 2));
  let served: { readonly name: string; readonly content: string } | null = null;
  return {
    serve: async (files, update) => {
      const content = contentHash(files);
      // values may have learned alone
      if (served?.content === content) return served.name;
      const version = written(files, { root, name: `${run}-v${update}-${content.slice(0, 8)}` });
      await server.load(version);
      const isBefore = (name: string) => isOurs(name) && name !== version.name;
      for (const name of (await server.names()).filter(isBefore)) await server.unload(name);
      const folders = whileReading(root, () => readdirSync(root)).filter(isBefore);
      for (const name of folders) remove(join(root, name));
      served = { name: version.name, content };
      return version.name;
    },
  };
}

/** Whether this name exists complete and with this content. */
function written(
  files: ReadonlyMap<string, Uint8Array>,
  { root, name }: { readonly root: string; readonly name: string },
): ServedVersion {
  const folder = join(root, name);
  createFolder(root);
  if (isThere(folder)) verifyFolder(folder);
  else writeFolderAtomic(folder, files);
  return { name, folder };
}

function remove(folder: string): void {
  whileWriting(folder, () => rmSync(folder, { recursive: true }));
}

function contentHash(files: ReadonlyMap<string, Uint8Array>): string {
  const all = [...files].sort(([one], [other]) => (one < other ? -1 : 1));
  return sha256(
    Buffer.concat(all.flatMap(([name, data]) => [Buffer.from(`${name} ${data.byteLength} `), data])),
  );
}
