/** Flags allowed beside `--resume`: none changes what the run computes. */
import { EmacError } from '@emac/core';
import { isModulePath } from '@emac/opening';
import { changeableOfLanguageModel, isEnvironmentModule, type TrainConfig } from '@emac/settings';
import { configured } from '../options/configured.ts';
import { namesModule } from '../options/given-code.ts';
import { trainSettings } from './train-settings.ts';

const changeable: readonly string[] = [
  ...changeableOfLanguageModel.map((name) => `expert.languageModel.${name}`),
  'dataset.skipBadRecords',
  ...['port', 'host', 'allow', 'clients', 'stepSeconds', 'clientSeconds', 'restarts'].map(
    (name) => `world.${name}`,
  ),
];

/** The configuration lacks the code of an expert or environment: the flag names it again, and the run checks its hash. */
function isNamedAnew(name: string, value: unknown): boolean {
  return (
    (name === 'env' && namesModule(value)) ||
    (name === 'expert' && typeof value === 'string' && isModulePath(value))
  );
}

/** Applies the flags typed beside `--resume` to the run's configuration. Errors: `usage` for all other settings. */
export function changedBy(
  values: Readonly<Record<string, unknown>>,
  words: readonly string[] = [],
): (config: TrainConfig) => TrainConfig {
  const fixed = Object.entries(trainSettings)
    .filter(([, { paths }]) => !paths.every((each) => changeable.includes(each)))
    .map(([name]) => name);
  const refused = ['phase', 'config', ...fixed]
    .filter((name) => values[name] != null && !isNamedAnew(name, values[name]))
    .map((name) => `--${name}`);
  const [first] = [...refused, ...words];
  if (first !== undefined)
    throw new EmacError('usage', `${first}: a run resumes with its own settings; give --resume alone`);
  return (config) => {
    if (values['expert'] != null && config.expert.kind !== 'module')
      throw new EmacError('usage', '--expert: a run resumes with its own settings; give --resume alone');
    if (values['env'] != null && !isEnvironmentModule(config.env))
      throw new EmacError('usage', '--env: a run resumes with its own settings; give --resume alone');
    return configured(trainSettings, values, config) as TrainConfig;
  };
}
