/** `emac ppo`: starts or resumes proximal policy optimization in an environment. */
import { EmacError } from '@emac/core';
import { dryPpo } from '@emac/dry-run';
import { knownStart } from '@emac/opening';
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
import type { GivenPpoConfig } from '@emac/settings';
import { configOption, layered, type Asked, type Sources } from '../../options/layers.ts';
import { givenEnvironment } from '../../options/given-code.ts';
import type { Values } from '../../options/option.ts';
import { ppoPresets, ppoSettings } from '../../settings/ppo-settings.ts';
import { presetTable } from '../../options/preset-table.ts';
import { runNamed } from '../../options/run-name.ts';
import { runOptions } from '../../options/run-options.ts';
import { command } from '../../calling/command.ts';
import { directCall } from '../../calling/help-page.ts';
import { dryRuns, resumeRuns, trainingRuns } from './training-runs.ts';

const options = {
  ...runOptions,
  ...configOption,
  ...ppoSettings,
};

type PpoValues = Values<typeof options> & Readonly<Record<string, unknown>>;

export const ppoCommand = command({
  options,
  essentials: [
    'env',
    'policy',
    'updates',
    'steps',
    'preset',
    'seed',
    'init',
    'resume',
    'eval-episodes',
    'out',
    'config',
  ],
  epilogue: () => `${presetTable(ppoSettings, ppoPresets)}\n\n${directCall}`,
  run: async (values: PpoValues, words, io) => {
    if (values.resume !== null && !values['dry-run'])
      await resumeRuns({ values, words, io, settings: Object.keys(ppoSettings) });
    else {
      const { given } = askedPpo({ values, words, env: io.env });
      const code = await givenEnvironment(values['env']);
      if (values['dry-run'])
        await dryRuns({ values, io }, (host, queue) => {
          if (queue !== null) requireStepsForWorkers(ppoConfig(withFound(given)));
          return dryPpo(given, { ...host, ...code });
        });
      else await trainingRuns({ values, io, method: 'ppo' }, (host) => trainPpo(given, { ...host, ...code }));
    }
    return 0;
  },
});

/** The settings to train with, preset included. Errors: `usage`, `missing`, `config`. */
export function askedPpo({ values, words, env }: Sources): Asked<GivenPpoConfig> {
  const from = { values, words, env };
  if (values['steps'] !== undefined && values['updates'] !== undefined)
    throw new EmacError('usage', '--updates: --steps gives the length of the run already; leave one out');
  // an incomplete list is completed from environment and preset
  const typed = layered<Partial<GivenPpoConfig>>(ppoSettings, from).given;
  const init = typeof typed.init === 'string' ? runNamed(typed.init, { env: typed.env }) : typed.init;
  const known = knownStart(init);
  const first = { ...known, ...typed };
  if (typeof first.env !== 'string')
    throw new EmacError(
      'usage',
      '--env: is required, such as gym_cards/NumberLine-v0; or --resume with the folder of a run',
    );
  const standard = ppoDefaults(first as GivenPpoConfig);
  const { layers } = layered<GivenPpoConfig>(ppoSettings, { ...from, standard });
  const given = effectivePpo([{ origin: 'run', settings: known, isShared: true }, ...layers]);
  return {
    given: { ...given, env: standard.env, ...(init !== undefined && { init }) },
    layers: [
      { origin: `preset ${standard.preset}`, settings: ppoPresetOf(standard) },
      { origin: `found for ${standard.env}`, settings: foundFor(first as GivenPpoConfig) },
      ...layers,
    ],
  };
}
