/** Proximal policy optimization for `emac train`. */
import { EmacError } from '@emac/core';
import { dryPpo } from '@emac/dry-run';
import {
  effective,
  ppoConfig,
  ppoDefaults,
  ppoPresetOf,
  requireStepsForWorkers,
  trainPpo,
  withFound,
} from '@emac/experiment';
import { foundForPpo, type GivenPpoConfig } from '@emac/settings';
import type { Sources } from '../../options/layers.ts';
import { ppoPresets, ppoSettings } from '../../settings/ppo-settings.ts';
import type { PlannedRun, TrainingMethod } from './training-method.ts';
import { typedSettings, withRuns } from './typed-settings.ts';

export const ppo: TrainingMethod = {
  name: 'ppo',
  begins: 'ppo',
  settings: ppoSettings,
  essentials: [
    ...['method', 'env', 'policy', 'updates', 'steps', 'preset', 'seed', 'init', 'resume', 'eval-episodes'],
    ...['out', 'config'],
  ],
  presets: ppoPresets,
  plan: ppoRun,
};

function ppoRun(sources: Sources): PlannedRun {
  const { values } = sources;
  if (values['steps'] !== undefined && values['updates'] !== undefined)
    throw new EmacError('usage', '--updates: --steps gives the length of the run already; leave one out');
  const { layers, given: first } = typedSettings<GivenPpoConfig>(ppoSettings, sources);
  if (typeof first.env !== 'string')
    throw new EmacError(
      'usage',
      '--env: is required, such as gym_cards/NumberLine-v0; or --resume with the folder of a run',
    );
  const standard = ppoDefaults(first);
  const given = withRuns(effective('ppo', layers));
  const config = () => ppoConfig(withFound(given));
  return {
    layers: [
      { origin: `preset ${standard.preset}`, settings: ppoPresetOf(standard) },
      { origin: `found for ${standard.env}`, settings: foundForPpo(first) },
      ...layers,
    ],
    config,
    train: (host) => trainPpo(given, host),
    dry(host, queue) {
      if (queue !== null) requireStepsForWorkers(config());
      return dryPpo(given, host);
    },
  };
}
