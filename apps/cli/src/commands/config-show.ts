/** `emac config show`: what `emac train` would do with the same flags, setting by setting, and where each comes from. */
import { EmacError } from '@emac/core';
import { presetConfig, trainConfig, type TrainConfig } from '@emac/settings';
import { Document, isMap, isPair, visit } from 'yaml';
import { isSaid, type Layer } from '../options/layers.ts';
import { toggle } from '../options/option.ts';
import { say, type Io } from '../terminal/io.ts';
import { command } from './command.ts';
import { asked, trainOptions, type TrainValues } from './train.ts';

const {
  resume: _resume,
  'allow-drift': _drift,
  tracker: _tracker,
  json: _json,
  quiet: _quiet,
  'dry-run': _dry,
  queue: _queue,
  shared: _shared,
  ...ofTraining
} = trainOptions;

const options = {
  origin: toggle('beside every setting where its value comes from'),
  ...ofTraining,
};

export const configShowCommand = command({
  options,
  run: (values, words, io) => {
    const { origin, ...training } = values;
    const ofCommand = {
      resume: null,
      tracker: 'none',
      json: false,
      quiet: false,
      'allow-drift': false,
      'dry-run': false,
      queue: null,
      shared: null,
    } as const;
    show({ ...training, ...ofCommand }, { words, origin, io });
    return Promise.resolve(0);
  },
});

interface Showing {
  readonly words: readonly string[];
  readonly origin: boolean;
  readonly io: Io;
}

/** Prints YAML that `--config` takes. Errors: `usage`, `missing`, `config`. */
function show(values: TrainValues, { words, origin, io }: Showing): void {
  const { phases, layers } = asked(values, words, io);
  const [phase, ...later] = phases;
  if (later.length > 0)
    throw new EmacError(
      'usage',
      `--phase ${phases.join(',')}: the settings of one phase are shown, give one`,
    );
  const { out, ...config } = trainConfig({ ...layers.given, phase: phase! });
  const document = new Document({ ...config, out });
  if (origin) addOrigins(document, originOf(layers.layers, config.preset, phase!));
  say(io.stdout, String(document).trimEnd());
}

/** Where the value at a path comes from. */
export function originOf(
  layers: readonly Layer[],
  preset: TrainConfig['preset'],
  phase: TrainConfig['phase'],
): (path: readonly string[]) => string {
  const places: readonly Layer[] = [
    { origin: `preset ${preset}`, settings: presetConfig(preset, phase) },
    ...layers,
  ];
  return (path) => {
    if (path[0] === 'phase') return 'phase';
    const says = (layer: Layer) => isSaid(layer, path.join('.')) && holds(layer.settings, path);
    return places.findLast(says)?.origin ?? 'default';
  };
}

function holds(settings: unknown, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined) return true;
  if (typeof settings !== 'object' || settings === null) return false;
  return name in settings && holds((settings as Record<string, unknown>)[name], rest);
}

/** A comment beside every single value, items of lists too. */
function addOrigins(document: Document, origin: (path: readonly string[]) => string): void {
  visit(document, {
    Scalar(place, value, ancestors) {
      if (place === 'key') return;
      const names = ancestors.filter((each) => isPair(each)).map(({ key }) => String(key));
      value.comment = ` ${origin(typeof place === 'number' ? [...names, String(place)] : names)}`;
    },
  });
  if (!isMap(document.contents)) throw new EmacError('internal', 'config show: the settings are no mapping');
}
