/** Every setting of `emac collect --env`: its flag and its place in the configuration. */
import { environmentCollectionSchema, type EnvironmentCollectionConfig } from '@emac/datasets';
import { settingsOf } from './setting.ts';
import { serviceSettings } from './shared-settings.ts';

const settings = settingsOf<EnvironmentCollectionConfig>(environmentCollectionSchema);
const { at, orNull } = settings;

/** Flags absent from collecting in games. */
export const environmentAloneSettings = {
  env: at('env'),
  'num-samples': at('samples'),
  'random-actions': at('randomActions'),
  'label-noise': at('labelNoise'),
  'val-share': at('validation'),
  'action-steps': orNull('actionSteps', 'exact', { otherwise: 'exact' }),
  format: at('format'),
  palette: at('palette'),
  'action-only-prompt': at('actionOnly'),
  'quality-scores': at('qualityScores'),
};

export const environmentCollectSettings = {
  ...environmentAloneSettings,
  out: at('out'),
  seed: at('seed'),
  'max-steps': at('maxSteps', { otherwise: 'own' }),
  expert: at('expert.kind'),
  'parallel-episodes': at('parallelEpisodes'),
  ...serviceSettings(settings),
};
