/** Imitation, preferences and supervised fine-tuning for `emac train`: one phase, or behaviour cloning and DPO against its result. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { learnsPairs, phases, presetNames } from '@emac/algorithms';
import { EmacError } from '@emac/core';
import { dryTraining } from '@emac/dry-run';
import { datasetFile } from '@emac/datasets';
import { defaultPolicyOf, effective, trainPhases } from '@emac/experiment';
import { isFolder, isThere, whileReading } from '@emac/files';
import { presetConfig, trainConfig, type GivenSettings, type TrainConfig } from '@emac/settings';
import { requireForWorkers } from '@emac/workers';
import type { Sources } from '../../options/layers.ts';
import { choice, text } from '../../options/option.ts';
import { requireReference } from '../../options/reference-run.ts';
import { labellingOptions, requireLabeller } from '../../play/labelling.ts';
import { changedBy } from '../../settings/resume-changes.ts';
import { trainSettings } from '../../settings/train-settings.ts';
import { shellWord } from '../../terminal/shell-word.ts';
import { methods } from '../methods.ts';
import type { PlannedRun, TrainingMethod } from './training-method.ts';
import { typedSettings, withRuns } from './typed-settings.ts';

type Phase = TrainConfig['phase'];

const phaseWords = [...phases, ...phases.filter(learnsPairs).map((phase) => `bc,${phase}` as const)];

export const imitation: TrainingMethod = {
  name: null,
  begins: 'train',
  settings: trainSettings,
  options: {
    phase: choice(phaseWords, {
      help: 'behaviour cloning, a method that learns from pairs, or one after the other; the same as --method',
      default: null,
    }),
    reward: text({
      help: 'with --resume, of a run that compares attempts (grpo …): its reward of your own, a file',
      default: null,
    }),
    ...labellingOptions,
  },
  essentials: [
    ...['method', 'phase', 'env', 'ref', 'resume', 'games', 'policy', 'expert', 'preset', 'updates'],
    ...['rounds', 'games-per-round', 'seed', 'data', 'out', 'config'],
  ],
  changed: changedBy,
  plan: (sources, io) => {
    if (sources.values['reward'] != null)
      throw new EmacError(
        'usage',
        '--reward: is for methods that compare attempts, such as --method grpo; name the method, or leave it out',
      );
    return phasesRun(withDataset(sources), io);
  },
};

/** The command's defaults for fine-tuning. */
const base: GivenSettings = {
  policy: 'rl-tiny',
  trained: { parts: 'lora' },
  evaluation: { episodes: 0 },
};

export const fineTuning: TrainingMethod = {
  name: 'sft',
  begins: 'train',
  settings: {
    ...trainSettings,
    policy: { ...trainSettings['policy']!, defaultText: 'rl-tiny; for a folder of tabletop/… vla-tiny' },
    train: { ...trainSettings['train']!, defaultText: 'lora' },
  },
  essentials: [
    ...['method', 'data', 'policy', 'train', 'epochs', 'updates', 'seed', 'init', 'resume', 'out', 'config'],
  ],
  next: ({ policy, dataset }, folder) => {
    // the run names the file, its folder the environment
    const env = dataset ? environmentIn(dirname(dataset.data)) : undefined;
    // conversations belong to no environment
    if (env === undefined) return `npx emac serve --ckpt ${shellWord(folder)}`;
    return `npx emac train --method ppo --env ${shellWord(env)} --policy ${shellWord(policy)} --init ${shellWord(folder)}`;
  },
  changed: changedBy,
  plan(sources, io) {
    const { data, config } = sources.values;
    if (data === undefined && config === null)
      throw new EmacError(
        'usage',
        '--data: is required: a folder of emac collect or a JSON file; or give --resume with the folder of a run',
      );
    const { values, ...others } = withDataset(sources);
    const policy = policyOf(data) ?? base.policy!;
    return phasesRun({ ...others, values: { ...values, phase: 'bc' } }, io, { ...base, policy });
  },
};

/** The small model for the environment of a collection; undefined for any other data. */
function policyOf(data: unknown): string | undefined {
  const env = environmentIn(data);
  return env === undefined ? undefined : defaultPolicyOf(env);
}

/** The environment in a folder of `emac collect --env`; undefined for any other data. */
function environmentIn(data: unknown): string | undefined {
  const file = typeof data === 'string' && isFolder(data) ? join(data, 'collection.json') : null;
  if (file === null || !isThere(file)) return undefined;
  return /"env": "([^"]+)"/.exec(whileReading(file, () => readFileSync(file, 'utf8')))?.[1];
}

/** In place of a folder its files, the held-out one included if no other was given. */
function withDataset({ values, ...others }: Sources): Sources {
  const { data, val } = values;
  if (typeof data !== 'string' || !isFolder(data)) return { values, ...others };
  const [file, held] = [datasetFile(data), datasetFile(data, true)];
  const files = { data: file, val: val ?? (held === file ? undefined : held) };
  return { values: { ...values, ...files }, ...others };
}

/** `below`: the command's own defaults. Errors: `usage`, `missing`, `config`. */
/** Errors: `usage` for a share of a mixture beside one that acts alone. */
function requireMixture(values: Readonly<Record<string, unknown>>): void {
  const acts = values['act-with'] as { readonly start: number; readonly decay: number } | null | undefined;
  // one that acts alone does so in every round
  if (!acts || acts.decay !== 1) return;
  const flag = ['expert-probability', 'expert-decay'].find((each) => (values[each] ?? null) !== null);
  if (flag !== undefined)
    throw new EmacError(
      'usage',
      `--${flag}: belongs to --act-with mixture, got --act-with ${acts.start === 1 ? 'expert' : 'student'}; leave one of them out`,
    );
}

function phasesRun(
  sources: Sources,
  io: Parameters<TrainingMethod['plan']>[1],
  below: GivenSettings = {},
): PlannedRun {
  requireMixture(sources.values);
  const { layers, given: all, phase } = typedSettings<GivenSettings>(trainSettings, sources, below);
  const phases = phasesOf((sources.values['phase'] as string | null) ?? phase);
  const preset = presetNames.find((name) => name === (all.preset ?? 'tiny'));
  if (!preset)
    throw new EmacError(
      'config',
      `preset: must be ${presetNames.join(' or ')}, got ${JSON.stringify(all.preset)}`,
    );
  const given = withRuns(effective('train', layers, phases));
  requireLabeller(sources.values['page'], given.expert?.kind);
  const first = () => trainConfig({ ...given, phase: phases[0]! });
  return {
    layers: [
      { origin: `preset ${preset}`, settings: presetConfig(preset, phases[0]!) },
      ...layers,
      { origin: 'phase', settings: { phase: phases[0] } },
    ],
    config() {
      if (phases.length > 1)
        throw new EmacError(
          'usage',
          `--phase ${phases.join(',')}: shows the settings of one phase; give one`,
        );
      const { out, ...config } = first();
      return { ...config, out };
    },
    train(host) {
      requireReference(phases[0]!, given, io);
      return trainPhases(given, phases, host);
    },
    dry(host, queue) {
      if (queue !== null) requireForWorkers(first());
      return dryTraining(given, phases, host);
    },
  };
}

/** Errors: `usage`. */
function phasesOf(phase: string | null): Phase[] {
  if (phase === null)
    throw new EmacError(
      'usage',
      `--method: is required: ${methods.map(({ name }) => name).join(' or ')}; see "emac methods", or give --resume with the folder of a run`,
    );
  if (!phaseWords.some((word) => word === phase))
    throw new EmacError('usage', `--phase: must be ${phaseWords.join(' or ')}, got ${JSON.stringify(phase)}`);
  return phase.split(',') as Phase[];
}
