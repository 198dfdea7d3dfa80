/** Flags of several commands that belong together. */
import { languageModelSchema, worldSchema } from '@emac/settings';
import { settingsTable } from './settings-table.ts';

/** Flags of a world over HTTP. */
export const remoteWorldFlags = Object.keys(settingsTable(worldSchema)).filter((flag) => flag !== 'world');

/** Flags of an expert that is a language model. */
export const languageModelFlags = Object.keys(settingsTable(languageModelSchema));
