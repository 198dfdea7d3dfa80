/** Every setting of `emac train --method ppo`, from its schema, with the presets' values. */
import { isDeepStrictEqual } from 'node:util';
import { ppoPresetNames } from '@emac/algorithms';
import { ppoPresetConfig } from '@emac/experiment';
import { ppoSchema, valueAtPath } from '@emac/settings';
import type { Presets } from '../options/preset-table.ts';
import type { Setting } from '../options/setting.ts';
import { settingsTable } from '../options/settings-table.ts';

/** For an environment without its own `tiny` values, and a policy that is a model. */
function presetValue(path: string, name: string): unknown {
  const preset = ppoPresetNames.find((each) => each === name) ?? 'tiny';
  return valueAtPath(ppoPresetConfig(preset, null, 'model'), path);
}

function presetText(path: string, shown: Setting['shown'], name = 'tiny'): string | null {
  if (path === 'play.environmentSteps' && name === 'tiny') return 'by --env';
  const value = presetValue(path, name);
  return value === undefined ? null : shown(value);
}

/** The table of presets at the end of `--help`. */
export const ppoPresets: Presets = {
  head: 'Presets (tiny: for a small model; small networks have others, by environment):',
  names: ppoPresetNames,
  isOf: (path) =>
    path !== 'preset' &&
    ppoPresetNames.some((name) => !isDeepStrictEqual(presetValue(path, name), presetValue(path, 'tiny'))),
  text: presetText,
};

export const ppoSettings = settingsTable(ppoSchema, presetText);
