/** `emac config show`: the settings `emac train --method …` would use with the same flags, each with its origin. */
import { readFileSync } from 'node:fs';
import { EmacError } from '@emac/core';
import { ppoConfig, withFound } from '@emac/experiment';
import { isFile } from '@emac/files';
import { grpoConfig, isSaid, presetConfig, trainConfig, type Layer } from '@emac/settings';
import { Document, isMap, isPair, visit } from 'yaml';
import type { Sources } from '../options/layers.ts';
import { toggle, type OptionTable } from '../options/option.ts';
import { say } from '../terminal/io.ts';
import { command, type Command } from '../calling/command.ts';
import { askedGrpo, grpoCommand } from './training/grpo.ts';
import { namedMethod } from './methods.ts';
import { askedPpo, ppoCommand } from './training/ppo.ts';
import { askedSft, sftCommand } from './training/sft.ts';
import { asked, trainCommand, trainOptions, type Asked, type TrainValues } from './training/train.ts';

interface Shown {
  /** the whole configuration, in the form of `--config` */
  readonly config: object;
  /** weakest first, starting with the preset */
  readonly layers: readonly Layer[];
}

interface ShownMethod {
  /** options of the training command with the same flags */
  readonly options: OptionTable;
  readonly show: (sources: Sources) => Shown;
}

/** By training command. */
const methods: Readonly<Record<string, ShownMethod>> = {
  train: {
    options: trainCommand.options,
    show: ({ values, words, env }) => trained(asked(values as TrainValues, words, { env })),
  },
  sft: { options: sftCommand.options, show: (sources) => trained(askedSft(sources)) },
  ppo: {
    options: ppoCommand.options,
    show(sources) {
      const { given, layers } = askedPpo(sources);
      return { config: ppoConfig(withFound(given)), layers };
    },
  },
  grpo: {
    options: grpoCommand.options,
    show(sources) {
      const { given, layers } = askedGrpo(sources);
      return { config: grpoConfig(given), layers };
    },
  },
};

/** Errors: `usage` for several phases at once. */
function trained({ phases, layers: { given, layers } }: Asked): Shown {
  const [phase, ...later] = phases;
  if (later.length > 0)
    throw new EmacError('usage', `--phase ${phases.join(',')}: shows the settings of one phase; give one`);
  const { out, ...config } = trainConfig({ ...given, phase: phase! });
  const preset = { origin: `preset ${config.preset}`, settings: presetConfig(config.preset, phase!) };
  const named = { origin: 'phase', settings: { phase } };
  return { config: { ...config, out }, layers: [preset, ...layers, named] };
}

/** Flags of a run, not of its settings. */
const ofRuns = ['resume', 'allow-drift', 'tracker', 'json', 'quiet', 'dry-run', 'queue', 'shared'];

/** The command for the method in the words or in the file of `--config`; by default that of bc and dpo. Errors: `usage` for an unknown method. */
export function configShow(argv: readonly string[] = []): Command {
  const named = namedMethod(argv);
  const { options, show } = methods[named?.words[0] ?? commandOfFile(argv) ?? 'train']!;
  const unsaid = Object.fromEntries(ofRuns.map((flag) => [flag, options[flag]?.default]));
  const table: OptionTable = {
    origin: toggle('also print the origin of each value'),
    method: trainOptions.method,
    ...Object.fromEntries(Object.entries(options).filter(([flag]) => !ofRuns.includes(flag))),
  };
  return command({
    options: table,
    run: (values, words, { stdout, env }) => {
      const asked = { ...values, ...unsaid };
      for (const [flag, value] of impliedFlags(named)) asked[flag] ??= value;
      const { config, layers } = show({ values: asked, words, env });
      const document = new Document(config);
      if (values['origin']) addOrigins(document, originOf(layers));
      say(stdout, String(document).trimEnd());
      return Promise.resolve(0);
    },
  });
}

/** The flags that a method's name stands for, such as `--phase dpo` for dpo. */
function impliedFlags(named: ReturnType<typeof namedMethod>): (readonly [flag: string, value: string])[] {
  const words = named?.words.slice(1) ?? [];
  return words.flatMap((word, place) =>
    word.startsWith('--') ? [[word.slice(2), words[place + 1]!] as const] : [],
  );
}

/** The command named in a configuration file; null without one. The later reading rejects a file that cannot be read. */
function commandOfFile(argv: readonly string[]): string | null {
  const place = argv.indexOf('--config');
  const path = place < 0 ? null : (argv[place + 1] ?? null);
  if (path === null || !isFile(path)) return null;
  const [, command = null] = /^command: (\w+)$/m.exec(readFileSync(path, 'utf8')) ?? [];
  return command !== null && command in methods ? command : null;
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
