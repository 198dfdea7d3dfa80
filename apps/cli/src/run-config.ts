/**
 * The configuration of a run, as config.yaml keeps it: every flag with the value in use, what was drawn, and the flags
 * as they were given, from which the run goes on after an interruption.
 */
import { isAbsolute, join } from 'node:path';
import { EmacError } from '@emac/core';
import { isThere } from '@emac/files';
import { readConfig, type RunRecord } from '@emac/runs';
import { optimizationFlags } from './optimization-options.ts';
import { trainOptions, type PhaseValues } from './train-options.ts';
import type { TrainingPlan } from './training-plan.ts';

/** All flags but `--out` (where a run lies changes nothing in it), the full settings, the ids of the games. */
export function runConfig({ values, settings, policy, games }: TrainingPlan): object {
  const { out: _place, phases, ...flags } = values;
  const { generation, text, projection } = policy;
  const resolved: Partial<Record<keyof PhaseValues, unknown>> = {
    init: values.init ?? values.ref ?? (values.projection === 'mlp' ? 'random' : 'model'),
    projection: projection.kind,
    'projection-hidden': projection.hidden,
    rounds: settings.rounds,
    'games-per-round': settings.gamesPerRound,
    'max-steps': settings.maxSteps,
    'act-with': settings.actWith,
    'expert-probability': settings.expertProbability,
    'expert-decay': settings.expertDecay,
    'train-after': settings.trainAfter === 'failed-episodes' ? 'failed' : settings.trainAfter,
    'updates-per-episode': settings.updatesPerEpisode,
    'batch-size': settings.batchSize,
    accumulate: settings.accumulate,
    lr: settings.learningRate,
    warmup: settings.warmup,
    beta: settings.beta,
    'mix-ratio': settings.mixRatio,
    ...optimizationFlags(settings),
    beams: generation.beams,
    'min-length': generation.minLength,
    'max-length': generation.maxLength,
    'max-text-tokens': text.maxTokens,
  };
  return {
    command: 'train',
    given: { ...flags, phase: phases },
    flags: { ...flags, ...resolved },
    settings,
    drawn: games.map(({ id }) => id),
  };
}

/** The values that a run was begun with; paths that were relative start where the command did. Errors: `config`. */
export function storedValues(folder: string, { phase, workingDirectory }: RunRecord): PhaseValues {
  const { given } = (readConfig(folder) ?? {}) as { readonly given?: Readonly<Record<string, unknown>> };
  if (!given) throw new EmacError('config', `${folder}: its config.yaml does not say how it was begun`);
  const names = Object.keys(trainOptions).filter((name) => name in given) as (keyof typeof trainOptions)[];
  const read = names.map((name) => [name, storedValue(folder, name, given[name])]);
  const values = Object.fromEntries(read) as Omit<PhaseValues, 'phases' | 'out'>;
  const defaults = Object.entries(trainOptions).map(([name, option]) => [name, option.default]);
  const paths = (
    [
      'games',
      'data',
      'images',
      'val',
      'ref',
      'model',
      'init',
      'expert-replay',
      'expert-prompts',
      'reflection-examples',
    ] as const
  ).map((name) => {
    const value = values[name];
    return [name, value === null ? null : fromDirectory(value, workingDirectory)];
  });
  return {
    ...Object.fromEntries(defaults),
    ...values,
    ...Object.fromEntries(paths),
    phase: phase as PhaseValues['phase'],
    phases: given['phase'] as PhaseValues['phases'],
  };
}

function storedValue(folder: string, name: keyof typeof trainOptions, stored: unknown): unknown {
  if (stored === null || typeof stored === 'boolean') return stored;
  const value = trainOptions[name].parse(String(stored));
  if (value === undefined)
    throw new EmacError('config', `${folder}: its config.yaml has ${name}: ${JSON.stringify(stored)}`);
  return value;
}

/** `RUN@best` names what lies at RUN. */
function fromDirectory(path: string, directory: string): string {
  const [place = ''] = path.split('@');
  const exists = [path, place].some((each) => each !== '' && isThere(join(directory, each)));
  return !isAbsolute(path) && exists ? join(directory, path) : path;
}
