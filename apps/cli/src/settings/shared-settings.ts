/** Flags of several commands that belong together. */
import { languageModelSchema, worldSchema, type WorldConfig } from '@emac/settings';
import { configured } from '../options/configured.ts';
import { settingsTable } from '../options/settings-table.ts';

/** Flags of a world over HTTP. */
export const remoteWorldFlags = Object.keys(settingsTable(worldSchema)).filter((flag) => flag !== 'world');

/** The typed ones. */
export function worldIn(values: Readonly<Record<string, unknown>>): Partial<WorldConfig> {
  return configured(settingsTable(worldSchema.omit({ kind: true })), values);
}

/** Flags of an expert that is a language model. */
export const languageModelFlags = Object.keys(settingsTable(languageModelSchema));
