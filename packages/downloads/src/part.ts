/**
 * The downloaded part of a file. A part belongs to the process in its name. Another process takes it over by renaming it, which
 * only one of several can do, and only after the owner has ended. So two downloads of one file never write into each other.
 */
import { readFileSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { open, type FileHandle } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { canonicalJson, syncFolder, whileWriting, writeFileAtomic } from '@emac/files';
import { addressHash, shownUrl } from './address.ts';
import { tallyOf, type Contents, type Tally } from './contents.ts';
import { writingTo } from './writing.ts';

/** The record beside a part: the content it belongs to. */
interface Note {
  /** for people */
  readonly url: string;
  /** hash of the address, since some servers name the file in the query */
  readonly address: string;
  readonly validator: string | null;
}

export interface Part {
  /** path of the part */
  readonly path: string;
  readonly length: number;
  /** validator of its content; null if there is none */
  readonly validator: string | null;
  /** whether its bytes come from several processes or answers */
  readonly isPatched: boolean;
  /** Records its content's validator; call it before the first byte. */
  begin(validator: string | null): void;
  write(bytes: Uint8Array): Promise<void>;
  /** Discards all bytes. */
  reset(): Promise<void>;
  /** The mismatch, in words; null if everything fits. */
  fault(): Promise<string | null>;
  readonly sha256: string;
  /** Makes it the file at `path`. */
  rename(path: string): Promise<void>;
  /** Leaves it for the next call; removes it if empty. */
  leave(): Promise<void>;
  remove(): Promise<void>;
}

/** Takes over an ended process's part of `url` beside `path`, or starts empty. Errors: `cannot-create`, `auth`, `io`. */
export async function openPart(path: string, url: string, contents: Contents): Promise<Part> {
  const own = join(dirname(path), `${basename(path)}.part-${process.pid}`);
  const fresh: Note = { url: shownUrl(url), address: addressHash(url), validator: null };
  const noted = takenOver(path, own) ? noteAt(own) : null;
  const kept = noted?.address === fresh.address ? noted : null;
  const file = await writingTo(own, () => open(own, kept ? 'r+' : 'w+'));
  const part = new OpenPart(own, file, { contents, note: kept ?? fresh, isNoted: kept !== null });
  if (kept) await part.recount();
  return part;
}

/** True if there was a part to take over. */
function takenOver(path: string, own: string): boolean {
  const prefix = `${basename(path)}.part-`;
  const names = whileWriting(dirname(path), () => readdirSync(dirname(path)));
  for (const name of names) {
    const pid = name.startsWith(prefix) ? /^\d+$/.exec(name.slice(prefix.length))?.[0] : undefined;
    if (pid === undefined || (Number(pid) !== process.pid && isRunning(Number(pid)))) continue;
    const left = join(dirname(path), name);
    try {
      // the record goes first: without it, bytes have no known content
      if (left !== own) renameSync(`${left}.json`, `${own}.json`);
      if (left !== own) renameSync(left, own);
      return true;
    } catch {
      // another process was faster, or it was killed before writing its record
      continue;
    }
  }
  return false;
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code !== 'ESRCH';
  }
}

function noteAt(own: string): Note | null {
  try {
    const { url, address, validator } = JSON.parse(readFileSync(`${own}.json`, 'utf8')) as Partial<Note>;
    if (typeof url !== 'string' || typeof address !== 'string') return null;
    return { url, address, validator: typeof validator === 'string' ? validator : null };
  } catch {
    return null;
  }
}

interface Opening {
  readonly contents: Contents;
  readonly note: Note;
  /** the record is on disk */
  readonly isNoted: boolean;
}

class OpenPart implements Part {
  readonly path: string;
  readonly #file: FileHandle;
  readonly #contents: Contents;
  #tally: Tally;
  #note: Note;
  #isNoted: boolean;
  #isPatched = false;

  constructor(path: string, file: FileHandle, { contents, note, isNoted }: Opening) {
    this.path = path;
    this.#file = file;
    this.#contents = contents;
    this.#tally = tallyOf(contents);
    this.#note = note;
    this.#isNoted = isNoted;
  }

  get length(): number {
    return this.#tally.bytes;
  }

  get validator(): string | null {
    return this.#note.validator;
  }

  get isPatched(): boolean {
    return this.#isPatched;
  }

  get sha256(): string {
    return this.#tally.sha256;
  }

  /** Counts and hashes existing bytes. */
  async recount(): Promise<void> {
    const buffer = Buffer.alloc(1 << 20);
    await writingTo(this.path, async () => {
      for (;;) {
        const { bytesRead } = await this.#file.read(buffer, 0, buffer.length, this.length);
        if (bytesRead === 0) return;
        this.#tally.add(buffer.subarray(0, bytesRead));
      }
    });
    this.#isPatched = this.length > 0;
  }

  begin(validator: string | null): void {
    this.#isPatched = this.length > 0;
    if (this.#isNoted && this.validator === validator) return;
    this.#note = { ...this.#note, validator };
    this.#isNoted = true;
    writeFileAtomic(`${this.path}.json`, `${canonicalJson({ ...this.#note })}\n`);
  }

  async write(bytes: Uint8Array): Promise<void> {
    await writingTo(this.path, async () => {
      for (let done = 0; done < bytes.byteLength;) {
        const rest = bytes.subarray(done);
        const { bytesWritten } = await this.#file.write(rest, 0, rest.byteLength, this.length + done);
        done += bytesWritten;
      }
    });
    this.#tally.add(bytes);
  }

  async reset(): Promise<void> {
    if (this.length === 0) return;
    await writingTo(this.path, () => this.#file.truncate(0));
    this.#tally = tallyOf(this.#contents);
    this.#isPatched = false;
  }

  async fault(): Promise<string | null> {
    await writingTo(this.path, () => this.#file.sync());
    const { size } = await writingTo(this.path, () => this.#file.stat());
    const fault = this.#tally.fault();
    return fault ?? (size === this.length ? null : `has ${size} bytes on disk, ${this.length} arrived`);
  }

  async rename(path: string): Promise<void> {
    await this.#file.close();
    whileWriting(path, () => {
      renameSync(this.path, path);
      syncFolder(dirname(path));
    });
    rmSync(`${this.path}.json`, { force: true });
  }

  async leave(): Promise<void> {
    if (this.length === 0) return this.remove();
    await this.#file.close();
  }

  async remove(): Promise<void> {
    await this.#file.close();
    for (const name of [this.path, `${this.path}.json`]) rmSync(name, { force: true });
  }
}
