/** Every setting of `emac eval`, from its schema. `--policy` is a flag of its own there, not the model's other name. */
import { evaluationSchema } from '@emac/settings';
import type { Setting } from '../options/setting.ts';
import { settingsTable } from '../options/settings-table.ts';

const { ckpt, model, ...others } = settingsTable(evaluationSchema);
const { aliases: _aliases, ...named } = model!;

export const evalSettings: Readonly<Record<string, Setting>> = {
  ckpt: { ...ckpt!, isRequired: false },
  ...others,
  model: named,
};
