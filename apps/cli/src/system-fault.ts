/** A file of its own, loaded only after an error. */
export { systemFault } from '@emac/files';
