/** The settings of a run for display; a folder that is resumed is read by `readConfig`, which compares them with its record. */
import { EmacError, messageOf } from '@emac/core';
import { layout } from '@emac/runs';
import { parse } from 'yaml';

/** Errors: `data` for a text that is no YAML. */
export function parsedConfig(text: string): object {
  try {
    return (parse(text) ?? {}) as object;
  } catch (thrown) {
    throw new EmacError('data', `${layout.config}: is damaged: ${messageOf(thrown)}; put it back`, {
      cause: thrown,
    });
  }
}
