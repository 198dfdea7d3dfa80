/** Node's bytes and their CRC-32. In a browser's bundle `browser/bytes.ts` takes this place. */
export { Buffer } from 'node:buffer';
export { crc32 } from 'node:zlib';
