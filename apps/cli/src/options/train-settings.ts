/** Every setting of `emac train`, from its schema, with the presets' values. */
import { trainSchema, type TrainConfig } from '@emac/settings';
import { expertSetting } from './expert-option.ts';
import { presetText } from './preset-values.ts';
import { settingsOf, type Setting } from './setting.ts';
import { settingsTable } from './settings-table.ts';

export const trainSettings: Readonly<Record<string, Setting>> = {
  ...settingsTable(trainSchema, presetText),
  expert: expertSetting(settingsOf<TrainConfig>(trainSchema, presetText)),
};
