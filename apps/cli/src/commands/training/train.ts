/** `emac train`: starts or resumes one phase, or behaviour cloning followed by DPO against its result. */
import { phases, presetNames } from '@emac/algorithms';
import { EmacError } from '@emac/core';
import { dryTraining } from '@emac/dry-run';
import { effectiveTraining, trainPhases } from '@emac/experiment';
import { knownStart } from '@emac/opening';
import {
  presetConfig,
  trainConfig,
  usualModel,
  type GivenSettings,
  type Layer,
  type TrainConfig,
} from '@emac/settings';
import { requireForWorkers } from '@emac/workers';
import { givenCode } from '../../options/given-code.ts';
import { configOption, layered, type Layered } from '../../options/layers.ts';
import { methods } from '../methods.ts';
import { directCall } from '../../calling/help-page.ts';
import { choice, text, type Values } from '../../options/option.ts';
import { presetTable } from '../../options/preset-table.ts';
import { changedBy } from '../../settings/resume-changes.ts';
import { runNamed } from '../../options/run-name.ts';
import { requireReference } from '../../options/reference-run.ts';
import { runOptions } from '../../options/run-options.ts';
import { trainSettings } from '../../settings/train-settings.ts';
import type { Io } from '../../terminal/io.ts';
import { nextCommand, type NextCommand } from '../../reports/training-report.ts';
import { command } from '../../calling/command.ts';
import { dryRuns, resumeRuns, trainingRuns } from './training-runs.ts';

const phaseWords = [...phases, 'bc,dpo'] as const;

export const trainOptions = {
  method: text({
    help: `training method: ${[...phases, 'sft', 'ppo', 'grpo', 'rloo', 'gigpo', 'hgpo'].join(', ')}, each with its own command’s flags; emac methods explains them`,
    default: null,
  }),
  phase: choice(phaseWords, {
    help: 'behaviour cloning, DPO against --ref, or one after the other; required unless --resume',
    default: null,
  }),
  reward: text({
    help: 'with --resume, of a run of grpo, gigpo or hgpo: its reward of your own, a file',
    default: null,
  }),
  ...runOptions,
  ...configOption,
  ...trainSettings,
};

/** Including the schema's settings as flags. */
export type TrainValues = Values<typeof trainOptions> & Readonly<Record<string, unknown>>;

export const trainCommand = command({
  options: trainOptions,
  essentials: [
    'method',
    'phase',
    'env',
    'ref',
    'resume',
    'games',
    'model',
    'expert',
    'preset',
    'updates',
    'rounds',
    'games-per-round',
    'seed',
    'data',
    'out',
    'config',
  ],
  epilogue: () => `${presetTable(trainSettings)}\n\n${directCall}`,
  run: (values, words, io) => trainAs({ values, words, io, base: {}, next: nextCommand }),
});

export interface Training {
  readonly values: TrainValues;
  readonly words: readonly string[];
  readonly io: Io;
  /** defaults of the command */
  readonly base: GivenSettings;
  /** the command printed after a run */
  readonly next: NextCommand;
}

/** Starts or resumes training; returns the exit status. Errors: as training. */
export async function trainAs({ values, words, io, base, next }: Training): Promise<number> {
  if (values.reward !== null && values.resume === null)
    throw new EmacError(
      'usage',
      '--reward: is for --method grpo, gigpo or hgpo; name the method, or leave it out',
    );
  if (values['dry-run']) await dry({ values, words, io, base, next });
  else if (values.resume !== null) {
    const changed = changedBy(values, words);
    const given = await givenCode(values);
    const settings = ['phase', ...Object.keys(trainSettings)];
    await resumeRuns({ values, words, io, next, settings, changed, given });
  } else {
    const { phases, layers } = asked(values, words, { env: io.env, base });
    requireReference(phases[0]!, layers.given, io);
    const given = await givenCode(values);
    await trainingRuns({ values, io, method: 'train', next }, (host) =>
      trainPhases(layers.given, phases, { ...host, ...given }),
    );
  }
  return 0;
}

/** Errors: as `trainPhases`, before the run begins. */
async function dry({ values, words, io, base }: Training): Promise<void> {
  await dryRuns({ values, io }, async (host, queue) => {
    const { phases, layers } = asked(values, words, { env: io.env, base });
    if (queue !== null) requireForWorkers(trainConfig({ ...layers.given, phase: phases[0]! }));
    return dryTraining(layers.given, phases, { ...host, ...(await givenCode(values)) });
  });
}

export interface Asked {
  readonly phases: readonly TrainConfig['phase'][];
  readonly layers: Layered<GivenSettings>;
}

/** The settings to train with; `base` has the command's defaults. Errors: `usage`, `missing`, `config`. */
export function asked(
  values: TrainValues,
  words: readonly string[],
  { env, base = {} }: Pick<Io, 'env'> & { readonly base?: GivenSettings },
): Asked {
  const from = { values, words, env };
  // an incomplete list is completed from the phase and the preset
  const { phase: named, given: typed } = layered<GivenSettings>(trainSettings, from);
  const phases = phasesOf(values.phase ?? named);
  const preset = presetNames.find((name) => name === (typed.preset ?? 'tiny'));
  if (!preset)
    throw new EmacError(
      'config',
      `preset: must be ${presetNames.join(' or ')}, got ${JSON.stringify(typed.preset)}`,
    );
  const standard = presetConfig(preset, phases[0]!);
  const layers = layered<GivenSettings>(trainSettings, { ...from, standard });
  const given = effectiveTraining([...beneath(base, layers.given), ...layers.layers], phases);
  return { phases, layers: { ...layers, given: withRuns(given) } };
}

/** Errors: `usage`. */
function phasesOf(phase: string | null): TrainConfig['phase'][] {
  if (phase === null)
    throw new EmacError(
      'usage',
      `--method: is required: ${methods.map(({ name }) => name).join(' or ')}; see "emac methods", or give --resume with the folder of a run`,
    );
  if (!phaseWords.some((word) => word === phase))
    throw new EmacError('usage', `--phase: must be ${phaseWords.join(' or ')}, got ${JSON.stringify(phase)}`);
  return phase.split(',') as TrainConfig['phase'][];
}

/** The command's defaults, and what the run to start from knows. Errors: those of `knownStart`. */
function beneath(base: GivenSettings, given: GivenSettings): Layer[] {
  const { start } = withRuns(given);
  const { env, policy } = knownStart(start?.ref ?? start?.init);
  const isOther = policy !== undefined && policy !== usualModel(env);
  const known = { ...(env && { env }), ...(isOther && { model: { path: policy } }) };
  return [base, known].map((settings) => ({ origin: 'start', settings, isShared: true }));
}

/** Replaces short names of runs by paths. */
function withRuns({ start, ...given }: GivenSettings): GivenSettings {
  if (!start) return given;
  const named = (name: string | null | undefined) =>
    typeof name === 'string' ? runNamed(name, { env: given.env }) : name;
  const [ref, init] = [named(start.ref), named(start.init)];
  return {
    ...given,
    start: { ...start, ...(ref !== undefined && { ref }), ...(init !== undefined && { init }) },
  };
}
