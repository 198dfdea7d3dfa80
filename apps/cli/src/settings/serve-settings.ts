/** Every setting of `emac serve`, from its schema. */
import { servingSchema } from '@emac/settings';
import { settingsTable } from '../options/settings-table.ts';

export const serveSettings = settingsTable(servingSchema);
