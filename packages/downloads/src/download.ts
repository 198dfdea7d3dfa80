/**
 * Downloads one file: complete and correct under its name, or absent. Bytes go into a part file beside it, are counted and hashed on
 * arrival, continue after a cut, and are renamed when everything matches.
 */
import { rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { EmacError } from '@emac/core';
import { createFolder, isThere, requireSpace, whileWriting } from '@emac/files';
import { shownUrl } from './address.ts';
import { placeOf, requireFile, type BodyPlace } from './answer.ts';
import { NetworkFault, type Connection, type Response } from './connection.ts';
import { isVerifiable, tallyOf, type Contents } from './contents.ts';
import { openPart, type Part } from './part.ts';
import { writingTo } from './writing.ts';

/** The file to download, and the known facts about it. */
export interface Wanted extends Contents {
  readonly url: string;
}

export interface DownloadOptions {
  readonly connection: Connection;
  /** sent with every request; `authorization` only to its own host */
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** receives the bytes so far, and the total (null if unknown) */
  readonly progress?: ((done: number, total: number | null) => void) | undefined;
  /** limit if the size is unknown; default 64 GiB */
  readonly maxBytes?: number;
  /** consecutive failures without progress before giving up; default 6 */
  readonly attempts?: number;
  /** milliseconds before the second attempt, doubled for each further one; default 500 */
  readonly retryDelayMs?: number;
  /** the part lies beside this path instead of beside the file */
  readonly partAt?: string;
  /** replaces an existing file that does not match; otherwise that is an error */
  readonly replace?: boolean;
}

export interface Downloaded {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/**
 * Downloads `wanted.url` to `path`. An existing matching file is kept. Errors: `cannot-create` if another file exists; `missing`, `auth`,
 * `unavailable`, `data` (the content does not match; nothing is kept), `io` (full disk), `interrupted`. After `unavailable`, `io` and
 * `interrupted` the same call continues.
 */
export async function download(wanted: Wanted, path: string, options: DownloadOptions): Promise<Downloaded> {
  createFolder(dirname(path));
  const known = await knownFile(wanted, path, options.replace ?? false);
  if (known) return known;
  const part = await openPart(options.partAt ?? path, wanted.url, wanted);
  let isOver = false;
  try {
    await complete(wanted, part, options);
    const { length: bytes, sha256 } = part;
    if (isThere(path) && !options.replace) throw occupied(path);
    isOver = true;
    await part.rename(path);
    return { path, bytes, sha256 };
  } catch (thrown) {
    if (!isOver) await part.leave();
    throw thrown;
  }
}

async function knownFile(wanted: Wanted, path: string, replace: boolean): Promise<Downloaded | null> {
  if (!isThere(path)) return null;
  const tally = tallyOf(wanted);
  if (isVerifiable(wanted)) {
    const file = await writingTo(path, () => open(path, 'r'));
    for await (const chunk of file.createReadStream()) tally.add(chunk as Uint8Array);
    if (tally.fault() === null) return { path, bytes: tally.bytes, sha256: tally.sha256 };
  }
  if (!replace) throw occupied(path);
  whileWriting(path, () => rmSync(path));
  return null;
}

function occupied(path: string): EmacError {
  return new EmacError('cannot-create', `${path}: already exists; remove it, or choose another name`);
}

/** Sends requests until the file is complete and correct. */
async function complete(wanted: Wanted, part: Part, options: DownloadOptions): Promise<void> {
  const { attempts = 6, retryDelayMs = 500, signal } = options;
  let [failures, reached, wasPatched] = [0, part.length, false];
  for (;;)
    try {
      await receive(wanted, part, options);
      const fault = await part.fault();
      if (fault === null) return;
      const isWrong = wasPatched || !part.isPatched;
      await part.reset();
      if (isWrong) throw new EmacError('data', `${shownUrl(wanted.url)}: ${fault}; nothing was kept`);
      // two contents may have been mixed: once more from the beginning
      wasPatched = true;
    } catch (thrown) {
      if (!(thrown instanceof NetworkFault)) throw thrown;
      if (part.length > reached) failures = 0;
      reached = Math.max(reached, part.length);
      if (++failures >= attempts) throw givenUp(thrown, failures, part);
      await pause(thrown.waitMs ?? retryDelayMs * 2 ** (failures - 1), signal);
    }
}

function givenUp({ message }: NetworkFault, failures: number, { length }: Part): EmacError {
  const kept = length > 0 ? 'the part so far is kept; repeat the call to resume' : 'try again later';
  return new EmacError('unavailable', `${message}; ${failures} tries in a row failed, ${kept}`);
}

async function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await wait(milliseconds, undefined, { ...(signal && { signal }) });
  } catch {
    throw new EmacError('interrupted', 'download: stopped on request');
  }
}

/** One request for the missing bytes. Errors: `NetworkFault`; another request may deliver the rest. */
async function receive(wanted: Wanted, part: Part, options: DownloadOptions): Promise<void> {
  const { connection, headers = {}, signal } = options;
  if (part.length > (wanted.size ?? Infinity)) await part.reset();
  if (wanted.size !== undefined && part.length === wanted.size && part.length > 0) return;
  const { validator } = part;
  if (part.length > 0 && validator === null && !isVerifiable(wanted)) await part.reset();
  const from = part.length;
  const range: Record<string, string> =
    from === 0 ? {} : { range: `bytes=${from}-`, ...(validator !== null && { 'if-range': validator }) };
  const response = await connection.get(wanted.url, { headers: { ...headers, ...range }, signal });
  try {
    if (response.status === 416) return await nothingMore(response, wanted, part);
    requireFile(response, wanted.url);
    await take(response, wanted, { part, options });
  } finally {
    response.discard();
  }
}

/** The requested range is beyond the end: the file is complete, or has changed. */
async function nothingMore({ header }: Response, { url }: Wanted, part: Part): Promise<void> {
  const total = /^bytes \*\/(\d+)$/.exec(header('content-range') ?? '')?.[1];
  if (total !== undefined && Number(total) === part.length && part.length > 0) return;
  await part.reset();
  throw new NetworkFault(`${shownUrl(url)}: does not have the requested part`);
}

interface Taking {
  readonly part: Part;
  readonly options: DownloadOptions;
}

async function take(response: Response, wanted: Wanted, { part, options }: Taking): Promise<void> {
  const place = placeOf(response, wanted.url);
  const total = requireFitting(response, wanted, { place, options });
  // a server without ranges, or a changed content: from the beginning
  if (response.status === 200) await part.reset();
  else if (place.start !== part.length)
    throw new NetworkFault(`${shownUrl(wanted.url)}: sends another part than requested`);
  else if (isOther(place.validator, part)) {
    await part.reset();
    throw new NetworkFault(`${shownUrl(wanted.url)}: changed during the download`);
  }
  if (total !== null) requireSpace(dirname(part.path), total - part.length);
  part.begin(place.validator);
  const limit = total ?? options.maxBytes ?? defaultMaxBytes;
  options.progress?.(part.length, total);
  for await (const chunk of response.body) {
    if (part.length + chunk.byteLength > limit) {
      await part.reset();
      throw tooLarge(wanted.url, limit);
    }
    await part.write(chunk);
    options.progress?.(part.length, total);
  }
  if (total !== null && part.length < total)
    throw new NetworkFault(`${shownUrl(wanted.url)}: ended after ${part.length} of ${total} bytes`);
}

function isOther(validator: string | null, { validator: before }: Part): boolean {
  return validator !== null && before !== null && validator !== before;
}

const defaultMaxBytes = 64 * 2 ** 30;

interface Fitting {
  readonly place: BodyPlace;
  readonly options: Pick<DownloadOptions, 'maxBytes'>;
}

/** The expected total bytes; null if unknown. Errors: `data` if it cannot be the wanted file. */
function requireFitting({ header }: Response, wanted: Wanted, { place, options }: Fitting): number | null {
  const { url, size } = wanted;
  const coding = header('content-encoding') ?? 'identity';
  if (coding !== 'identity')
    throw new EmacError(
      'data',
      `${shownUrl(url)}: is encoded as ${coding}, which cannot be checked; give another address`,
    );
  if (size !== undefined && place.total !== null && place.total !== size)
    throw new EmacError(
      'data',
      `${shownUrl(url)}: has ${place.total} bytes, must have ${size}; it was replaced since, or the address is another file's`,
    );
  const total = size ?? place.total;
  const limit = options.maxBytes ?? defaultMaxBytes;
  if (size === undefined && total !== null && total > limit) throw tooLarge(url, limit);
  if (total === null && !place.hasEnd && !isVerifiable(wanted))
    throw new EmacError(
      'data',
      `${shownUrl(url)}: the server must send the file's length, so that a cut-off download is noticed; give another address`,
    );
  return total;
}

function tooLarge(url: string, limit: number): EmacError {
  return new EmacError('data', `${shownUrl(url)}: exceeds the limit of ${limit} bytes; nothing was kept`);
}
