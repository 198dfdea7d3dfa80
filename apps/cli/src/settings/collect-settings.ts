/** Every setting of `emac collect`, from the schemas of games, environments and RLDS datasets. */
import { collectSchema, environmentCollectionSchema, rldsCollectionSchema } from '@emac/datasets';
import { expertSetting } from '../options/expert-option.ts';
import type { Setting } from '../options/setting.ts';
import { settingsTable } from '../options/settings-table.ts';

type Settings = Readonly<Record<string, Setting>>;

const ofGames = settingsTable(collectSchema);

const ofEnvironments = settingsTable(environmentCollectionSchema);

export const collectSettings: Settings = { ...ofGames, expert: expertSetting(ofGames['expert']!) };

/** With `--env`. */
export const environmentCollectSettings: Settings = {
  ...ofEnvironments,
  expert: expertSetting(ofEnvironments['expert']!),
};

/** Flags absent from collecting in games. */
export const environmentAloneSettings = without(environmentCollectSettings, collectSettings);

/** With `--rlds`. */
export const rldsCollectSettings = settingsTable(rldsCollectionSchema);

/** Flags absent from collecting in games and environments. */
export const rldsAloneSettings = without(rldsCollectSettings, {
  ...collectSettings,
  ...environmentAloneSettings,
});

function without(settings: Settings, others: Settings): Settings {
  return Object.fromEntries(Object.entries(settings).filter(([flag]) => !Object.hasOwn(others, flag)));
}
