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
    otherwise: 'up to 8, 1 where layers are streamed',
    help: 'games under way at once; changes the speed alone. With --env --expert openai lines of play, each of which makes its share of the steps',
  }),
  ...expertSettings(settings),
  ...languageModelSettings(settings),
  ...worldSettings(settings),
  seed: at('seed'),
  ...speechSettings(settings),
  ...computeSettings(settings),
};
