/** Every setting of `emac train`, from its schema, with the presets' values. */
import { trainSchema } from '@emac/settings';
import { expertSetting } from '../options/expert-option.ts';
import { presetText } from '../options/preset-values.ts';
import type { Setting } from '../options/setting.ts';
import { settingsTable } from '../options/settings-table.ts';

const table = settingsTable(trainSchema, presetText);

export const trainSettings: Readonly<Record<string, Setting>> = {
  ...table,
  expert: expertSetting(table['expert']!),
};
