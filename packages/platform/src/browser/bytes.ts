/** Node's bytes in a browser, and their CRC-32 as zip has it. */
import { Buffer as Bytes } from 'buffer/';

export { crc32 } from './crc32.ts';

// not handed on by name: a bundler may leave out a module that only does so
export const Buffer = Bytes;
