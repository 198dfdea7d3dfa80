/** Groups of attempts for `emac train`: at tasks, or of a Lewis speaker or listener from the other's reaction. */
import { dryGrpo } from '@emac/dry-run';
import { effective, trainGrpoRuns } from '@emac/experiment';
import { grpoConfig, grpoDefaults, grpoPresetConfig, type GivenGrpoConfig } from '@emac/settings';
import type { Sources } from '../../options/layers.ts';
import { grpoPresets, grpoSettings } from '../../settings/grpo-settings.ts';
import type { PlannedRun, TrainingMethod } from './training-method.ts';
import { typedSettings, withRuns } from './typed-settings.ts';

export const grpo: TrainingMethod = {
  name: 'grpo',
  begins: 'grpo',
  settings: grpoSettings,
  essentials: [
    ...[
      'method',
      'env',
      'role',
      'listener',
      'speaker',
      'policy',
      'preset',
      'updates',
      'seed',
      'init',
      'resume',
    ],
    ...['pictures', 'out', 'config'],
  ],
  presets: grpoPresets,
  plan: grpoRun,
};

function grpoRun(sources: Sources): PlannedRun {
  const { layers, given: all } = typedSettings<GivenGrpoConfig>(grpoSettings, sources);
  const { preset } = grpoDefaults(all);
  const given = withRuns(effective('grpo', layers));
  return {
    layers: [{ origin: `preset ${preset}`, settings: grpoPresetConfig(preset) }, ...layers],
    config: () => grpoConfig(given),
    train: (host) => trainGrpoRuns(given, host),
    dry: (host) => dryGrpo(given, host),
  };
}
