/** Groups of attempts for `emac train`: at tasks, or of a Lewis speaker or listener from the other's reaction. */
import { dryGrpo } from '@emac/dry-run';
import { effectiveGrpo, trainGrpoRuns } from '@emac/experiment';
import { knownStart } from '@emac/opening';
import {
  grpoConfig,
  grpoDefaults,
  grpoPresetConfig,
  merged,
  usualModel,
  type GivenGrpoConfig,
} from '@emac/settings';
import { layered, type Sources } from '../../options/layers.ts';
import { runNamed } from '../../options/run-name.ts';
import { grpoPresets, grpoSettings } from '../../settings/grpo-settings.ts';
import type { PlannedRun, TrainingMethod } from './training-method.ts';

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
  // an incomplete list is completed from the preset
  const typed = layered<Partial<GivenGrpoConfig>>(grpoSettings, sources).given;
  const named = (name: string | null | undefined) => (typeof name === 'string' ? runNamed(name) : name);
  const known = ofStart(named(typed.init));
  const standard = grpoDefaults(merged(known, typed) as GivenGrpoConfig);
  const { layers } = layered<GivenGrpoConfig>(grpoSettings, { ...sources, standard });
  const effective = effectiveGrpo([{ origin: 'run', settings: known, isShared: true }, ...layers]);
  const { init, listener, speaker } = effective;
  const given = {
    ...effective,
    ...(init !== undefined && { init: named(init) }),
    ...(listener !== undefined && { listener: runNamed(listener) }),
    ...(speaker !== undefined && { speaker: runNamed(speaker) }),
  } as GivenGrpoConfig;
  return {
    layers: [{ origin: `preset ${standard.preset}`, settings: grpoPresetConfig(standard.preset) }, ...layers],
    config: () => grpoConfig(given),
    train: (host) => trainGrpoRuns(given, host),
    dry: (host) => dryGrpo(given, host),
  };
}

/** What the run to start from knows. Errors: those of `knownStart`. */
function ofStart(init: string | null | undefined): GivenGrpoConfig {
  const { env, policy } = knownStart(init);
  const isOther = policy !== undefined && policy !== usualModel(env);
  return { ...(env && { env }), ...(isOther && { policy }) };
}
