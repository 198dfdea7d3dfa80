/** `node:buffer` of a tab. */
export { Buffer } from '@emac/platform';
