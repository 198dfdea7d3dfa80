/** Every setting of `emac collect`: its flag and its place in the configuration. */
import { collectSchema, type CollectConfig } from '@emac/datasets';
import { settingsOf } from './setting.ts';
import {
  computeSettings,
  expertSettings,
  languageModelSettings,
  speechSettings,
  worldSettings,
} from './shared-settings.ts';

const settings = settingsOf<CollectConfig>(collectSchema);
const { at } = settings;

export const collectSettings = {
  out: { ...at('out'), isRequired: true },
  phase: at('phase'),
  games: at('games'),
  'num-games': at('numGames', { otherwise: 'all' }),
  'max-steps': at('maxSteps'),
  'stop-repeating': at('stopRepeating'),
  'act-with': at('actWith'),
  'expert-probability': at('expertProbability'),
  ckpt: at('ckpt', { otherwise: 'the untrained --model' }),
  model: at('model.path'),
  'parallel-episodes': at('parallelEpisodes', {
    otherwise: 'up to 8, or 1 with streamed layers',
    help: 'games played in parallel; affects speed only. With --env --expert openai: parallel players, each plays its share',
  }),
  ...expertSettings(settings),
  ...languageModelSettings(settings),
  ...worldSettings(settings),
  seed: at('seed'),
  ...speechSettings(settings),
  ...computeSettings(settings),
};
