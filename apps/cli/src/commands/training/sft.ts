/** `emac sft`: supervised fine-tuning of a vision-language model on a dataset, the same as `emac train --phase bc --data` with settings for that alone. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EmacError } from '@emac/core';
import { defaultPolicyOf } from '@emac/experiment';
import { isFolder, isThere, whileReading } from '@emac/files';
import type { GivenSettings, TrainConfig } from '@emac/settings';
import { configOption, type Sources } from '../../options/layers.ts';
import type { Values } from '../../options/option.ts';
import { trainSettings } from '../../settings/train-settings.ts';
import { quietOption } from '../../options/quiet-option.ts';
import { shellWord } from '../../terminal/shell-word.ts';
import type { NextCommand } from '../../reports/training-report.ts';
import { command } from '../../calling/command.ts';
import { directCall } from '../../calling/help-page.ts';
import { asked, trainAs, trainOptions, type Asked, type TrainValues } from './train.ts';

/** Settings of `emac train` with a meaning for a dataset; the others are about episodes, experts and preferences. */
const groups = [
  'preset',
  'seed',
  'model',
  'start',
  'trained',
  'dataset',
  'optimization',
  'speech',
  'keep',
  'out',
] as const satisfies readonly (keyof TrainConfig)[];

/** Flags of these groups for games and preferences, and those with words of their own below. */
const others = ['data', 'model', 'ref', 'carry', 'updates-per-episode', 'without-replacement'];

const ofTraining = Object.fromEntries(
  Object.entries(trainSettings).filter(
    ([flag, { paths }]) =>
      groups.some((group) => group === paths[0]!.split('.')[0]) && !others.includes(flag),
  ),
);
const {
  resume,
  tracker,
  json,
  queue,
  shared,
  'dry-run': dry,
  'allow-drift': drift,
  'run-name': name,
} = trainOptions;

const options = {
  data: {
    ...trainSettings['data']!,
    help: 'dataset: a folder of emac collect (its val.json is scored after each epoch) or a JSON list of {image, text_input, text_output}; required unless --resume',
  },
  policy: {
    ...trainSettings['model']!,
    aliases: ['model'],
    help: 'vision-language model: rl-tiny, vla-tiny, emma-tiny or a model folder',
    defaultText: 'rl-tiny; for a folder of tabletop/… vla-tiny',
  },
  ...ofTraining,
  train: { ...ofTraining['train']!, defaultText: 'lora' },
  resume,
  'run-name': name,
  tracker,
  queue,
  shared,
  json,
  ...quietOption,
  'allow-drift': drift,
  'dry-run': dry,
  ...configOption,
};

type SftValues = Values<typeof options> & Readonly<Record<string, unknown>>;

const base: GivenSettings = {
  model: { path: 'rl-tiny' },
  trained: { parts: 'lora' },
  evaluation: { games: 0 },
};

export const sftCommand = command({
  options,
  essentials: ['data', 'policy', 'train', 'epochs', 'updates', 'seed', 'init', 'resume', 'out', 'config'],
  epilogue: () => directCall,
  run: (values, words, io) => trainAs({ values: asTraining(values), words, io, base, next }),
});

/** The settings to train with. Errors: as `asked`'s; `usage` without a dataset. */
export function askedSft({ values, words, env }: Sources): Asked {
  return asked(asTraining(values as SftValues), words, { env, base });
}

/** Errors: `usage` without a dataset. */
function asTraining({ data, policy, ...values }: SftValues): TrainValues {
  const isBegun = values.resume !== null;
  if (!isBegun && data === undefined && values.config === null)
    throw new EmacError(
      'usage',
      '--data: is required: a folder of emac collect or a JSON file; or give --resume with the folder of a run',
    );
  const nothing = Object.fromEntries(
    Object.entries(trainOptions).map(([name, option]) => [name, option.default]),
  ) as unknown as TrainValues;
  return {
    ...nothing,
    ...values,
    ...datasetsOf(data, values['val']),
    model: policy ?? policyOf(data),
    phase: isBegun ? null : 'bc',
  };
}

/** The small model for the environment in a folder of `emac collect --env`; undefined for any other data. */
function policyOf(data: unknown): string | undefined {
  const file = typeof data === 'string' && isFolder(data) ? join(data, 'collection.json') : null;
  if (file === null || !isThere(file)) return undefined;
  const found = /"env": "([^"]+)"/.exec(whileReading(file, () => readFileSync(file, 'utf8')));
  return found ? defaultPolicyOf(found[1]!) : undefined;
}

/** The files of a folder, including the held-out one if no other was given. */
function datasetsOf(data: unknown, val: unknown): { readonly data: unknown; readonly val: unknown } {
  if (typeof data !== 'string' || !isFolder(data)) return { data, val };
  const held = join(data, 'val.json');
  return { data: join(data, 'train.json'), val: val ?? (isThere(held) ? held : undefined) };
}

const next: NextCommand = ({ model: { path } }, folder) =>
  `npx emac ppo --env ID --policy ${shellWord(path)} --init ${shellWord(folder)}`;
