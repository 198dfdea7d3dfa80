/** Reads the arguments of pickle's opcodes; every read is checked against the end of the bytes. */
import { EmacError } from '@emac/core';

export class PickleBytes {
  readonly path: string;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(path: string, bytes: Uint8Array) {
    this.path = path;
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** Position of the next byte, for messages. */
  get position(): number {
    return this.#at;
  }

  uint8(): number {
    return this.#view.getUint8(this.#advance(1));
  }

  uint16(): number {
    return this.#view.getUint16(this.#advance(2), true);
  }

  int32(): number {
    return this.#view.getInt32(this.#advance(4), true);
  }

  uint32(): number {
    return this.#view.getUint32(this.#advance(4), true);
  }

  /** A length of eight bytes; a length beyond the file fails when it is used. */
  uint64(): number {
    return Number(this.#view.getBigUint64(this.#advance(8), true));
  }

  /** pickle stores floats big-endian */
  float64(): number {
    return this.#view.getFloat64(this.#advance(8), false);
  }

  bytes(length: number): Uint8Array {
    const start = this.#advance(length);
    return this.#bytes.subarray(start, start + length);
  }

  text(length: number): string {
    return new TextDecoder().decode(this.bytes(length));
  }

  /** Text up to the end of the line. */
  line(): string {
    const end = this.#bytes.indexOf(0x0a, this.#at);
    if (end === -1) throw this.fault('a name has no end');
    const text = this.text(end - this.#at);
    this.#advance(1);
    return text;
  }

  fault(rule: string): EmacError {
    return new EmacError('data', `${this.path}: data.pkl is damaged at byte ${this.#at}: ${rule}`);
  }

  #advance(length: number): number {
    const start = this.#at;
    if (!(length <= this.#bytes.length - start)) throw this.fault('it was cut short');
    this.#at += length;
    return start;
  }
}
