/** Every setting of `emac serve`: the policy's settings of `emac eval`. */
import { evaluationSchema, type EvaluationConfig } from '@emac/settings';
import { settingsOf } from './setting.ts';
import { computeSettings, speechSettings } from './shared-settings.ts';

const settings = settingsOf<EvaluationConfig>(evaluationSchema);
const { at } = settings;

export const serveSettings = {
  ckpt: { ...at('ckpt'), isRequired: true },
  'admissible-only': at('admissibleOnly', {
    help: 'restrict the agent to admissible commands; requests must then list them',
  }),
  model: {
    ...at('model.path', {
      help: 'model: a shipped one, a folder or a JSON file naming its parts',
      otherwise: '--ckpt if it is a model, else its run’s, else emma-tiny',
    }),
    aliases: ['policy'],
  },
  ...speechSettings(settings),
  ...computeSettings(settings),
};
