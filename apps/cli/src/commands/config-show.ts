/** `emac config show`: the settings `emac train --method …` would use with the same flags, each with its origin. */
import { EmacError } from '@emac/core';
import { isSaid, type Layer } from '@emac/settings';
import { Document, isMap, isPair, visit } from 'yaml';
import { toggle, type OptionTable } from '../options/option.ts';
import { say } from '../terminal/io.ts';
import { command, type Command } from '../calling/command.ts';
import { trainCommand, trainingMethod } from './training/train.ts';

/** Flags of a run, not of its settings. */
const ofRuns = ['resume', 'allow-drift', 'tracker', 'json', 'quiet', 'dry-run', 'queue', 'shared'];

/** For the method in the words or in the file of `--config`; by default bc and dpo. Errors: `usage` for an unknown method. */
export function configShow(argv: readonly string[] = []): Command {
  const { options } = trainCommand(argv);
  const unsaid = Object.fromEntries(ofRuns.map((flag) => [flag, options[flag]?.default]));
  const table: OptionTable = {
    origin: toggle('also print the origin of each value'),
    ...Object.fromEntries(Object.entries(options).filter(([flag]) => !ofRuns.includes(flag))),
  };
  return command({
    options: table,
    run: (values, words, io) => {
      const sources = { values: { ...values, ...unsaid }, words, env: io.env };
      const { config, layers } = trainingMethod(argv).plan(sources, io);
      const document = new Document(config());
      if (values['origin']) addOrigins(document, originOf(layers));
      say(io.stdout, String(document).trimEnd());
      return Promise.resolve(0);
    },
  });
}

/** The origin of the value at a path. */
export function originOf(layers: readonly Layer[]): (path: readonly string[]) => string {
  return (path) => {
    const says = (layer: Layer) => isSaid(layer, path.join('.')) && holds(layer.settings, path);
    return layers.findLast(says)?.origin ?? 'default';
  };
}

function holds(settings: unknown, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined) return true;
  if (typeof settings !== 'object' || settings === null) return false;
  return name in settings && holds((settings as Record<string, unknown>)[name], rest);
}

/** A comment beside every single value, list items included. */
function addOrigins(document: Document, origin: (path: readonly string[]) => string): void {
  visit(document, {
    Scalar(place, value, ancestors) {
      if (place === 'key') return;
      const names = ancestors.filter((each) => isPair(each)).map(({ key }) => String(key));
      value.comment = ` ${origin(typeof place === 'number' ? [...names, String(place)] : names)}`;
    },
  });
  if (!isMap(document.contents))
    throw new EmacError('internal', 'config show: the settings must be a mapping');
}
