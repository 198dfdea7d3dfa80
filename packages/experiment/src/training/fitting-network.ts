/** Refuses settings of training from labels that have no meaning for a small network, before anything is opened. */
import { EmacError } from '@emac/core';
import { trainConfig, type TrainConfig } from '@emac/settings';
import { ofModels, refuseOfModels, requireReadable, type Flags } from '../networks/fitting-network.ts';

const ofLanguageModels: Flags<TrainConfig> = {
  ...ofModels,
  '--projection': ({ start }) => start.projection,
  '--projection-hidden': ({ start }) => start.hidden,
  '--beams': ({ speech }) => speech.beams,
  '--max-new-tokens': ({ speech }) => speech.maxLength,
  '--max-prompt-tokens': ({ speech }) => speech.maxTextTokens,
  '--imitate-thoughts': ({ expert }) => expert.thoughts,
};

/** Errors: `usage`. */
export function requireFittingNetwork(config: TrainConfig): void {
  const { env, preset, phase, model, dataset, start } = config;
  const policy = `--policy ${model.path}`;
  if (dataset !== null)
    throw new EmacError(
      'usage',
      `--data: holds texts, but ${policy} reads arrays or pictures; give a vision-language model`,
    );
  if (start.init === 'model')
    throw new EmacError(
      'usage',
      `--init model: ${policy} has no parameters of its own; give a run, or leave it out`,
    );
  requireReadable(config, phase);
  const standard = trainConfig({ env, preset, phase, model: { path: model.path } });
  refuseOfModels(ofLanguageModels, model.path, { config, standard });
}
