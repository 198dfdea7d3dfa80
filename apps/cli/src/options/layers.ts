/**
 * Settings from several places, strongest first: flags, words `SETTING=VALUE`, a short list of environment variables, the file of `--config`. Below them are
 * the preset and the schema's defaults.
 */
import { EmacError, messageOf } from '@emac/core';
import { nameToday, underNamesToday, type IsName } from '@emac/runs';
import { merged, type Layer } from '@emac/settings';
import { parse } from 'yaml';
import { readConfigFile } from './config-file.ts';
import { configured, isSetting, put } from './configured.ts';
import { text, type OptionTable } from './option.ts';

/** `--config`, for every command with settings. */
export const configOption = {
  config: text({
    help: 'YAML file of settings, such as a run’s config.yaml; flags, SETTING=VALUE and environment variables win',
    default: null,
  }),
};

export interface Layered<Given = object> {
  /** weakest first */
  readonly layers: readonly Layer[];
  /** all layers merged */
  readonly given: Given;
  /** phases in the file; null for none */
  readonly phase: string | null;
}

/** Flags with an environment variable: `EMAC_SEED` for `--seed`. Other variables are ignored. */
const environmentFlags = ['model', 'games', 'seed', 'preset', 'provider', 'tf-backend', 'parallel-episodes'];

/** Sources of settings: flags, words and environment variables. */
export interface Sources {
  readonly values: Readonly<Record<string, unknown>>;
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Errors: `usage` naming every invalid word and variable; errors of the file. */
export function layered<Given = object>(table: OptionTable, { values, words, env }: Sources): Layered<Given> {
  const path = values['config'];
  const file = typeof path === 'string' ? readConfigFile(path, textOr(values['phase'])) : null;
  const problems: string[] = [];
  const names = new Set(pathsOf(table, () => true));
  const isName: IsName = (name) => names.has(name);
  const below = [
    ...(file ? [{ origin: String(path), settings: file.settings, isShared: file.isOfRun }] : []),
    ...environmentLayers(table, { env, problems }),
  ];
  const typed: Layer[] = [
    ...below,
    { origin: 'SETTING=VALUE', ...settingsInWords(words, { problems, isName }) },
    {
      origin: 'flag',
      settings: configured(table, values),
      paths: pathsOf(table, (flag) => values[flag] !== undefined),
    },
  ];
  if (problems.length > 0) throw new EmacError('usage', problems.join('; '));
  const layers = typed.map((layer) => ({ ...layer, settings: underNamesToday(layer.settings, isName) }));
  const given = settingsOf(layers) as Given;
  return { layers, given, phase: file?.phase ?? null };
}

/** The settings of some flags. */
function pathsOf(table: OptionTable, isAmong: (flag: string) => boolean): string[] {
  return Object.entries(table).flatMap(([flag, option]) =>
    isSetting(option) && isAmong(flag) ? option.paths : [],
  );
}

const textOr = (value: unknown) => (typeof value === 'string' ? value : null);

/** All layers merged. */
function settingsOf(layers: readonly Layer[]): object {
  return layers.reduce<unknown>((below, { settings }) => merged(below, settings), {}) as object;
}

interface Reading {
  /** receives a sentence for each invalid value */
  readonly problems: string[];
}

function environmentLayers(table: OptionTable, { env, problems }: Reading & Pick<Sources, 'env'>): Layer[] {
  return environmentFlags.flatMap((word): Layer[] => {
    const name = `EMAC_${word.toUpperCase().replaceAll('-', '_')}`;
    const [flag, option] =
      Object.entries(table).find(([each, { aliases }]) => each === word || aliases?.includes(word)) ?? [];
    const typed = env[name];
    if (!flag || !option || !isSetting(option) || typed === undefined) return [];
    const value = option.form.parse(typed);
    if (value !== undefined)
      return [
        {
          origin: name,
          settings: configured(table, { [flag]: value }),
          paths: option.paths,
          isShared: true,
        },
      ];
    problems.push(`${name}: must be ${option.form.words}, got ${JSON.stringify(typed)}`);
    return [];
  });
}

/** Values are read as YAML: numbers, words, true, null, lists. */
function settingsInWords(
  words: readonly string[],
  { problems, isName }: Reading & { readonly isName: IsName },
): Required<Pick<Layer, 'settings' | 'paths'>> {
  let settings: object = {};
  const paths: string[] = [];
  for (const word of words) {
    const [, name, value] = /^([A-Za-z][\w.]*)=(.*)$/s.exec(word) ?? [];
    if (name === undefined) {
      problems.push(`${JSON.stringify(word)}: must be SETTING=VALUE, such as optimization.learningRate=3e-4`);
      continue;
    }
    try {
      const today = nameToday(name, isName);
      settings = put(settings, today.split('.'), parse(value!, { logLevel: 'error' }));
      paths.push(today);
    } catch (thrown) {
      problems.push(
        `${name}=${value}: is not readable, ${messageOf(thrown).split('\n')[0]}; put quotes around a text`,
      );
    }
  }
  return { settings, paths };
}
