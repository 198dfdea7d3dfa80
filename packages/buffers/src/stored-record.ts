/** A record in a file, read on demand, so that a buffer can exceed memory. */
import { readRecord, unpack } from '@emac/files';

export class StoredRecord {
  readonly #path: string;
  readonly #offset: number;
  readonly #length: number;

  /** `offset` and `length` as in `readRecord` */
  constructor(path: string, { offset, length }: { readonly offset: number; readonly length: number }) {
    this.#path = path;
    this.#offset = offset;
    this.#length = length;
  }

  /** The record's fields. Errors: `missing`, `io`; `data` if it was damaged. */
  read(): Readonly<Record<string, unknown>> {
    const record = readRecord(this.#path, { offset: this.#offset, length: this.#length });
    return unpack(record) as Readonly<Record<string, unknown>>;
  }
}
