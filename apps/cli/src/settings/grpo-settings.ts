/** Every setting of `emac train --method grpo`, from its schema, with the presets' values. */
import { isDeepStrictEqual } from 'node:util';
import { grpoPresetNames } from '@emac/algorithms';
import { isModulePath } from '@emac/opening';
import { grpoPresetConfig, grpoSchema, valueAtPath } from '@emac/settings';
import type { Presets } from '../options/preset-table.ts';
import type { Setting } from '../options/setting.ts';
import { settingsTable } from '../options/settings-table.ts';

function presetValue(path: string, name: string): unknown {
  const preset = grpoPresetNames.find((each) => each === name) ?? 'tiny';
  return valueAtPath(grpoPresetConfig(preset), path);
}

function presetText(path: string, shown: Setting['shown'], name = 'tiny'): string | null {
  const value = presetValue(path, name);
  if (value === null && path === 'play.updates') return 'by --epochs';
  if (value === null && path === 'play.epochs') return 'none';
  if (value === null && path === 'model.maxPixels') return 'own';
  if (path === 'play.together') return 'all';
  return value === undefined ? null : shown(value);
}

/** The table of presets at the end of `--help`. */
export const grpoPresets: Presets = {
  head: 'Presets (tiny: for a small model; the others for models of 2, 7 and 14 billion parameters, as published):',
  names: grpoPresetNames,
  isOf: (path) =>
    path !== 'preset' &&
    grpoPresetNames.some((name) => !isDeepStrictEqual(presetValue(path, name), presetValue(path, 'tiny'))),
  text: presetText,
};

const table = settingsTable(grpoSchema, presetText);

const rewards = ['return', 'success'];

export const grpoSettings = {
  ...table,
  keep: keptOrFinal(table['keep']!),
  reward: orFile(table['reward']!),
};

/** A word, or a file with custom code. */
function orFile(reward: Setting): Setting {
  return {
    ...reward,
    form: {
      choices: rewards,
      words: `${rewards.join(' or ')}, or a file such as ./reward.mjs that exports reward(attempt)`,
      parse: (text) => (rewards.includes(text) || isModulePath(text) ? text : undefined),
    },
  };
}

/** `final` sets two settings: an unfinished run needs at most two checkpoints, a finished one only its last. */
function keptOrFinal(kept: Setting): Setting {
  const { parse, words, choices = [] } = kept.form;
  return {
    ...kept,
    help: `${kept.help}; final: its last alone, once the run is done`,
    paths: ['keep', 'onlyLast'],
    form: {
      words: `${words}, or final`,
      choices: [...choices, 'final'],
      parse: (text) => (text === 'final' ? text : parse(text)),
    },
    valueAt: (path, value) => {
      if (path === 'onlyLast') return value === 'final';
      return value === 'final' ? 2 : value;
    },
  };
}
