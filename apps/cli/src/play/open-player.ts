/** A file of its own, loaded only for an agent: somebody who plays by hand need not wait for it. */
export { openPlayer } from '@emac/experiment';
