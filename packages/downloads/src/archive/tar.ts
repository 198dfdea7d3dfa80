/** The entries of a tar.gz file, in file order. */
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { Parser, type ReadEntry } from 'tar';
import type { ArchiveEntry } from './entry.ts';

const files = new Set(['File', 'OldFile', 'ContiguousFile']);
const folders = new Set(['Directory', 'GNUDumpDir']);

/** Each entry is yielded after the one before has been read. */
export async function* tarEntries(archive: string): AsyncGenerator<ArchiveEntry> {
  const waiting: ReadEntry[] = [];
  let open: ReadEntry | undefined;
  let wake = (): void => {};
  let end: { readonly fault: unknown } | undefined;
  const onReadEntry = (entry: ReadEntry): void => {
    // its reader gets the error; for all others it is an error of the archive
    entry.on('error', () => {});
    waiting.push(entry);
    wake();
  };
  const parser = new Parser({ strict: true, onReadEntry });
  const stopped = new AbortController();
  // the parser is written to like a stream, but is not a Node stream
  const sink = parser as unknown as NodeJS.WritableStream;
  const reading = pipeline(createReadStream(archive), createGunzip(), sink, { signal: stopped.signal });
  const over = (fault: unknown): void => {
    end = { fault };
    // an incomplete entry would wait for its rest
    if (fault !== null) open?.destroy(fault);
    wake();
  };
  const ended = reading.then(() => over(null), over);
  try {
    for (;;) {
      open = waiting.shift();
      if (end && end.fault !== null) throw end.fault;
      if (open) {
        const entry = open;
        yield { name: entry.path, kind: kindOf(entry), content: () => contentOf(entry) };
        entry.resume();
      } else if (end) return;
      else await new Promise<void>((resolve) => void (wake = resolve));
    }
  } finally {
    stopped.abort();
    open?.resume();
    for (const entry of waiting) entry.resume();
    await ended;
  }
}

function kindOf({ type }: ReadEntry): ArchiveEntry['kind'] {
  if (folders.has(type)) return 'folder';
  return files.has(type) ? 'file' : 'other';
}

async function* contentOf(entry: ReadEntry): AsyncGenerator<Uint8Array> {
  for await (const chunk of entry) yield chunk as Uint8Array;
}
