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
        '20 of a suite, else all; episodes of a run of PPO: 200, in tabletop/… every initial state that is held out, with --world http all that clients offer',
    }),
    aliases: ['num-episodes', 'eval-episodes'],
  },
  'max-steps': at('maxSteps', { otherwise: 'as in training, else 50' }),
  'admissible-only': at('admissibleOnly'),
  data: at('data'),
  images: at('images', { otherwise: 'the folder of the JSON file' }),
  model: {
    ...at('model.path', {
      help: 'the model: a shipped one, a folder or a JSON file that names its parts; with --ckpt untouched in an environment also mlp or cnn',
      otherwise: '--ckpt where that is a model, else that of its run, else the one usual in --env',
    }),
    aliases: ['policy'],
  },
  'parallel-episodes': at('parallelEpisodes', { otherwise: 'up to 8, 1 where layers are streamed' }),
  ...worldSettings(settings),
  ...speechSettings(settings),
  ...computeSettings(settings),
  out: orNull('out', 'none', { otherwise: 'a new folder in runs' }),
};
