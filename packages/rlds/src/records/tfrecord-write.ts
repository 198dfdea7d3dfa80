/** Writes TFRecord files: length, its masked CRC-32C, data, their masked CRC-32C. */
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';
import { maskedCrc32c, whileWriting } from '@emac/files';

export interface TfRecordFile {
  /** bytes of data so far, without lengths and checksums */
  readonly dataBytes: number;
  write(data: Uint8Array): void;
  /** returns when every byte is on disk */
  close(): void;
}

/** Creates a file. Errors: `cannot-create` if something exists there, `auth`, `io` (disk full …). */
export function createTfRecords(path: string): TfRecordFile {
  const descriptor = whileWriting(path, () => openSync(path, 'wx'));
  let dataBytes = 0;
  return {
    get dataBytes() {
      return dataBytes;
    },
    write(data) {
      whileWriting(path, () => {
        for (const part of recordParts(data)) writeWhole(descriptor, part);
      });
      dataBytes += data.length;
    },
    close() {
      whileWriting(path, () => {
        try {
          fsyncSync(descriptor);
        } finally {
          closeSync(descriptor);
        }
      });
    },
  };
}

function recordParts(data: Uint8Array): readonly Uint8Array[] {
  const head = Buffer.alloc(12);
  head.writeBigUInt64LE(BigInt(data.length));
  head.writeUInt32LE(maskedCrc32c(head.subarray(0, 8)), 8);
  const tail = Buffer.alloc(4);
  tail.writeUInt32LE(maskedCrc32c(data));
  return [head, data, tail];
}

/** Continues after a short write (a disk filling up) until it fails. */
function writeWhole(descriptor: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length;) done += writeSync(descriptor, bytes, done);
}
