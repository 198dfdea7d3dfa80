/** A file of its own, so that `emac ckpt ls` does not load the exporter. */
export { exportModel, exportPolicy, exportPublished } from '@emac/model-folders';
