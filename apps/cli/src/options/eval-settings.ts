/** Every setting of `emac eval`, from its schema. */
import { evaluationSchema } from '@emac/settings';
import { settingsTable } from './settings-table.ts';

export const evalSettings = settingsTable(evaluationSchema);
