/** Every setting of `emac eval`: its flag and its place in the configuration. */
import { evaluationSchema, type EvaluationConfig } from '@emac/settings';
import { settingsOf } from './setting.ts';
import { computeSettings, speechSettings, worldSettings } from './shared-settings.ts';

const settings = settingsOf<EvaluationConfig>(evaluationSchema);
const { at, orNull } = settings;

export const evalSettings = {
  ckpt: { ...at('ckpt'), isRequired: true },
  games: at('games'),
  'num-games': {
    ...at('numGames', {
      otherwise:
        '20 of a suite, else all; PPO episodes: 200, in tabletop/… every held-out initial state, with --world http all of the clients’ games',
    }),
    aliases: ['num-episodes', 'eval-episodes'],
  },
  'max-steps': at('maxSteps', { otherwise: 'as in training, else 50' }),
  'admissible-only': at('admissibleOnly'),
  data: at('data'),
  images: at('images', { otherwise: 'the folder of the JSON file' }),
  model: {
    ...at('model.path', {
      help: 'model: a shipped one, a folder or a JSON file naming its parts; with --ckpt untouched also mlp or cnn',
      otherwise: '--ckpt if it is a model, else its run’s, else the usual one in --env',
    }),
    aliases: ['policy'],
  },
  'parallel-episodes': at('parallelEpisodes', { otherwise: 'up to 8, or 1 with streamed layers' }),
  ...worldSettings(settings),
  ...speechSettings(settings),
  ...computeSettings(settings),
  out: orNull('out', 'none', { otherwise: 'a new folder in runs' }),
};
