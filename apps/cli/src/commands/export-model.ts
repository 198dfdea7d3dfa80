/** Apart, so that `emac ckpt ls` does not load all that exporting a model needs. */
export { exportModel, exportPublished } from '@emac/model-folders';
