/** In a file of its own, so that it is loaded only where something went wrong. */
export { systemFault } from '@emac/files';
