/** Every setting of `emac serve`: the policy's settings of `emac eval`. */
import { evaluationSchema, type EvaluationConfig } from '@emac/settings';
import { settingsOf } from './setting.ts';
import { computeSettings, speechSettings } from './shared-settings.ts';

const settings = settingsOf<EvaluationConfig>(evaluationSchema);
const { at } = settings;

export const serveSettings = {
  ckpt: { ...at('ckpt'), isRequired: true },
  'admissible-only': at('admissibleOnly', {
    help: 'the agent always chooses among admissible commands, which requests must then give',
  }),
  model: {
    ...at('model.path', {
      otherwise: '--ckpt where that is a model, else that of its run, else emma-tiny',
    }),
    aliases: ['policy'],
  },
  ...speechSettings(settings),
  ...computeSettings(settings),
};
