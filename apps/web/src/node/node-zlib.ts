/** What is used of `node:zlib` in a tab. */
export { crc32 } from '@emac/platform';
