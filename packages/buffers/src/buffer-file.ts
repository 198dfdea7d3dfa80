/**
 * A buffer on disk: an append-only log of its records, written up to each checkpoint and truncated to one on resume.
 * Saved transitions are read from the log when sampled, so memory holds only their offsets and newer transitions. The
 * log keeps evicted transitions: it grows with the run, not with the capacity.
 */
import { invariant } from '@emac/core';
import { openRecordLog, readRecords, type AppendFile, type FilePart } from '@emac/files';
import { recordReplay, recordsOf } from './records.ts';
import type { ReplayBuffer } from './replay-buffer.ts';
import { StoredRecord } from './stored-record.ts';
import type { Transition } from './transition.ts';

export interface BufferFile extends Pick<AppendFile, 'length' | 'sha256' | 'sync' | 'close'> {
  /** appends the buffer's new transitions to the file and frees their memory; call it before they are evicted */
  save(): void;
}

/**
 * The file of an empty buffer, filled from the file's content up to `keep`; the rest of the file is cut off. Errors:
 * `cannot-create`, `io`; `data` if it was damaged or is of an older version.
 */
export function openBufferFile<T extends Transition>(
  path: string,
  buffer: ReplayBuffer<T>,
  keep: FilePart = { length: 0 },
): BufferFile {
  const log = openRecordLog(path, keep);
  try {
    const replayRecord = recordReplay(buffer, path);
    readRecords(path, keep.length, (record, place) => replayRecord(record, new StoredRecord(path, place)));
  } catch (thrown) {
    log.close();
    throw thrown;
  }
  let saved = buffer.appended;
  return {
    get length() {
      return log.length;
    },
    sha256: () => log.sha256(),
    sync: () => log.sync(),
    close: () => log.close(),
    save() {
      invariant(
        buffer.appended - saved <= buffer.capacity,
        `BufferFile.save: ${buffer.appended - saved} transitions were added since the last save, but the buffer holds only ${buffer.capacity}; save more often`,
      );
      for (const { bytes, settle } of recordsOf(buffer, saved)) {
        const offset = log.length;
        log.append(bytes);
        settle(new StoredRecord(path, { offset, length: log.length - offset }));
      }
      saved = buffer.appended;
    },
  };
}
