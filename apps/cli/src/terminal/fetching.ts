/** Shared by `games fetch` and `model fetch`: the connection, progress, and the message after an interruption. */
import { existsSync } from 'node:fs';
import { EmacError } from '@emac/core';
import { openConnection, webAddress, type Connection } from '@emac/downloads';
import { downloadProgress, type DownloadProgress } from './download-progress.ts';
import type { Io } from './io.ts';

export interface Fetching {
  readonly connection: Connection;
  readonly signal: AbortSignal;
  readonly progress: DownloadProgress;
}

/** Runs a fetch. Errors: as the fetch; `interrupted` names the command to resume. */
export async function fetching<T>(
  { folder, io }: { readonly folder: string; readonly io: Io },
  fetch: (with_: Fetching) => Promise<T>,
): Promise<T> {
  if (existsSync(folder))
    throw new EmacError('cannot-create', `${folder}: already exists; remove it, or give another --out`);
  const connection = openConnection(io.env);
  const progress = downloadProgress(io);
  try {
    return await fetch({ connection, progress, signal: io.catchInterruption() });
  } catch (thrown) {
    if (!(thrown instanceof EmacError) || thrown.code !== 'interrupted') throw thrown;
    throw new EmacError('interrupted', `${folder}: stopped on request; run the same command again to resume`);
  } finally {
    progress.end();
    await connection.close();
  }
}

/** True for an address, false for a name. */
export function isAddress(name: string): boolean {
  return /^https?:\/\//i.test(name);
}

/** An archive's folder name: its file without the ending. Errors: `usage` for an invalid address. */
export function titleOf(address: string): string {
  const file = webAddress(address).pathname.split('/').at(-1)!;
  return file.replace(/(\.tar\.gz|\.tgz|\.zip)$/i, '') || 'fetched';
}
