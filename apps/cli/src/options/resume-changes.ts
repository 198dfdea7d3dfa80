/** What may be given anew when a run goes on: nothing that changes what it computes. */
import { EmacError } from '@emac/core';
import { changeableOfLanguageModel, type TrainConfig } from '@emac/experiment';
import { configured } from './configured.ts';
import { trainSettings } from './train-settings.ts';

const changeable: readonly string[] = [
  ...changeableOfLanguageModel.map((name) => `expert.languageModel.${name}`),
  'dataset.skipBadRecords',
];

/** Puts what was typed beside `--resume` into the run's configuration. Errors: `usage` for all other settings. */
export function changedBy(values: Readonly<Record<string, unknown>>): (config: TrainConfig) => TrainConfig {
  const fixed = Object.entries(trainSettings)
    .filter(([, { paths }]) => !paths.every((each) => changeable.includes(each)))
    .map(([name]) => name);
  const refused = ['phase', ...fixed].find((name) => values[name] != null);
  if (refused !== undefined)
    throw new EmacError('usage', `--${refused}: a run goes on with its own settings, give --resume alone`);
  return (config) => configured(trainSettings, values, { base: config }) as TrainConfig;
}
