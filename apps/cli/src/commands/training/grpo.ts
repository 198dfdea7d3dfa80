/** `emac grpo`: starts or resumes training from groups of attempts at tasks, or of a Lewis speaker or listener from the other's reaction. */
import { dryGrpo } from '@emac/dry-run';
import { effectiveGrpo, trainGrpoRuns } from '@emac/experiment';
import { knownStart } from '@emac/opening';
import { grpoDefaults, grpoPresetConfig, merged, usualModel, type GivenGrpoConfig } from '@emac/settings';
import { grpoPresets, grpoSettings } from '../../settings/grpo-settings.ts';
import { configOption, layered, type Asked, type Sources } from '../../options/layers.ts';
import type { Values } from '../../options/option.ts';
import { givenTraining } from '../../options/given-code.ts';
import { presetTable } from '../../options/preset-table.ts';
import { runNamed } from '../../options/run-name.ts';
import { runOptions } from '../../options/run-options.ts';
import { command } from '../../calling/command.ts';
import { directCall } from '../../calling/help-page.ts';
import { dryRuns, resumeRuns, trainingRuns } from './training-runs.ts';

const options = {
  ...runOptions,
  ...configOption,
  ...grpoSettings,
};

type GrpoValues = Values<typeof options> & Readonly<Record<string, unknown>>;

export const grpoCommand = command({
  options,
  essentials: [
    'env',
    'role',
    'listener',
    'speaker',
    'model',
    'preset',
    'updates',
    'seed',
    'init',
    'resume',
    'pictures',
    'out',
    'config',
  ],
  epilogue: () => `${presetTable(grpoSettings, grpoPresets)}\n\n${directCall}`,
  run: async (values: GrpoValues, words, io) => {
    if (values.resume !== null && !values['dry-run'])
      await resumeRuns({ values, words, io, settings: Object.keys(grpoSettings) });
    else {
      const { given } = askedGrpo({ values, words, env: io.env });
      const code = await givenTraining(values);
      if (values['dry-run']) await dryRuns({ values, io }, (host) => dryGrpo(given, { ...host, ...code }));
      else
        await trainingRuns({ values, io, method: 'grpo' }, (host) =>
          trainGrpoRuns(given, { ...host, ...code }),
        );
    }
    return 0;
  },
});

/** The settings to train with, preset included. Errors: `usage`, `missing`, `config`. */
export function askedGrpo({ values, words, env }: Sources): Asked<GivenGrpoConfig> {
  const from = { values, words, env };
  // an incomplete list is completed from the preset
  const typed = layered<Partial<GivenGrpoConfig>>(grpoSettings, from).given;
  const named = (name: string | null | undefined) => (typeof name === 'string' ? runNamed(name) : name);
  const known = ofStart(named(typed.init));
  const standard = grpoDefaults(merged(known, typed) as GivenGrpoConfig);
  const { layers } = layered<GivenGrpoConfig>(grpoSettings, { ...from, standard });
  const given = effectiveGrpo([{ origin: 'run', settings: known, isShared: true }, ...layers]);
  return {
    given: {
      ...given,
      ...(given.init !== undefined && { init: named(given.init) }),
      ...(given.listener !== undefined && { listener: runNamed(given.listener) }),
      ...(given.speaker !== undefined && { speaker: runNamed(given.speaker) }),
    } as GivenGrpoConfig,
    layers: [{ origin: `preset ${standard.preset}`, settings: grpoPresetConfig(standard.preset) }, ...layers],
  };
}

/** What the run to start from knows. Errors: those of `knownStart`. */
function ofStart(init: string | null | undefined): GivenGrpoConfig {
  const { env, policy } = knownStart(init);
  const isOther = policy !== undefined && policy !== usualModel(env);
  return { ...(env && { env }), ...(isOther && { model: { path: policy } }) };
}
