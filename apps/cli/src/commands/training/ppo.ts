/** Proximal policy optimization for `emac train`. */
import { EmacError } from '@emac/core';
import { dryPpo } from '@emac/dry-run';
import {
  effectivePpo,
  foundFor,
  ppoConfig,
  ppoDefaults,
  ppoPresetOf,
  requireStepsForWorkers,
  trainPpo,
  withFound,
} from '@emac/experiment';
import { knownStart } from '@emac/opening';
import type { GivenPpoConfig } from '@emac/settings';
import { layered, type Sources } from '../../options/layers.ts';
import { runNamed } from '../../options/run-name.ts';
import { ppoPresets, ppoSettings } from '../../settings/ppo-settings.ts';
import type { PlannedRun, TrainingMethod } from './training-method.ts';

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
  // an incomplete list is completed from environment and preset
  const typed = layered<Partial<GivenPpoConfig>>(ppoSettings, sources).given;
  const init = typeof typed.init === 'string' ? runNamed(typed.init, { env: typed.env }) : typed.init;
  const known = knownStart(init);
  const first = { ...known, ...typed };
  if (typeof first.env !== 'string')
    throw new EmacError(
      'usage',
      '--env: is required, such as gym_cards/NumberLine-v0; or --resume with the folder of a run',
    );
  const standard = ppoDefaults(first as GivenPpoConfig);
  const { layers } = layered<GivenPpoConfig>(ppoSettings, { ...sources, standard });
  const effective = effectivePpo([{ origin: 'run', settings: known, isShared: true }, ...layers]);
  const given = { ...effective, env: standard.env, ...(init !== undefined && { init }) };
  const config = () => ppoConfig(withFound(given));
  return {
    layers: [
      { origin: `preset ${standard.preset}`, settings: ppoPresetOf(standard) },
      { origin: `found for ${standard.env}`, settings: foundFor(first as GivenPpoConfig) },
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
