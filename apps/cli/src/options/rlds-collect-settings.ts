/** Every setting of `emac collect --rlds`: its flag and its place in the configuration. */
import { rldsCollectionSchema, type RldsCollectionConfig } from '@emac/datasets';
import { settingsOf } from './setting.ts';

const { at } = settingsOf<RldsCollectionConfig>(rldsCollectionSchema);

/** Flags absent from collecting in games and environments. */
export const rldsAloneSettings = {
  rlds: at('rlds'),
  'rlds-split': at('split'),
  'rlds-image': at('layout.image'),
  'rlds-instruction': at('layout.instruction'),
  'rlds-action': at('layout.action'),
  mixture: at('mixture'),
  mixtures: at('mixtures'),
};

export const rldsCollectSettings = {
  ...rldsAloneSettings,
  out: at('out'),
  seed: at('seed'),
  'num-samples': at('samples', { otherwise: 'each step once' }),
  'val-share': at('validation'),
};
