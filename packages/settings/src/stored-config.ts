/** A run's configuration in `config.yaml`: the command's word, every setting in use, and what the method keeps beside them. */
import { resolve } from 'node:path';
import { isJudged } from '@emac/algorithms';
import { EmacError } from '@emac/core';
import { readConfig, underNamesToday } from '@emac/runs';
import type { z } from 'zod';
import { grpoSchema } from './grpo-config.ts';
import { checked, valueAtPath } from './merged.ts';
import { pathFrom } from './path-from.ts';
import { ppoSchema } from './ppo-config.ts';
import { statedSettings } from './stated-settings.ts';
import { trainConfig, trainSchema, type GivenTrainConfig, type TrainConfig } from './train-config.ts';

/** Format of config.yaml: 3 has today's names, 2 some earlier ones, 1 (up to version 0.1 of October 2026) held flags. */
const format = 3;
const readable: readonly unknown[] = [2, format];

/** By the word in config.yaml: the methods that begin runs. */
const schemas = { train: trainSchema, ppo: ppoSchema, grpo: grpoSchema } as const;

export type RunCommand = keyof typeof schemas;
type ConfigOf<Command extends RunCommand> = z.infer<(typeof schemas)[Command]>;

/** The command that began a run; `emac train --method sft` counts as `train`. Errors: `data` for an unreadable configuration. */
export function begunBy(folder: string): RunCommand {
  const word = (readConfig(folder) as { readonly command?: unknown } | null)?.command;
  return word === 'ppo' || word === 'grpo' ? word : 'train';
}

/** The content of config.yaml. It does not depend on the run's location, so `out` is omitted. */
export function storedConfig<Command extends RunCommand>(
  command: Command,
  { out: _place, ...config }: ConfigOf<Command>,
  { first = {}, last = {} }: { readonly first?: object; readonly last?: object } = {},
): object {
  return { v: format, command, ...first, ...config, ...last };
}

/** The configuration a run began with, as typed, and what is kept `beside` it. Errors: `config` if it was changed since, or has another format. */
export function readStoredConfig<Command extends RunCommand>(
  folder: string,
  command: Command,
  beside: readonly string[],
): { readonly config: ConfigOf<Command>; readonly kept: Readonly<Record<string, unknown>> } {
  const { v, command: _command, ...stored } = (readConfig(folder) ?? {}) as Readonly<Record<string, unknown>>;
  if (!readable.includes(v))
    throw new EmacError(
      'config',
      `${folder}: was started by ${typeof v === 'number' && v > format ? 'a newer' : 'an older'} version of emac; its runs can be evaluated and trained from (--ref, --init) but not resumed; start a new run`,
    );
  const settings = Object.fromEntries(Object.entries(stored).filter(([name]) => !beside.includes(name)));
  const schema = schemas[command] as unknown as z.ZodType<ConfigOf<Command>>;
  return { config: checked(schema, settings, `${folder}: its config.yaml`), kept: stored };
}

/** Settings given for every phase. */
export type GivenSettings = Omit<GivenTrainConfig, 'phase'>;

/** A phase against the run before it, or from it, with all other settings as given. */
export function laterConfig(
  asked: GivenSettings,
  { phase, ref, out }: Pick<TrainConfig, 'phase' | 'out'> & { readonly ref: string },
): TrainConfig {
  const given = underNamesToday(asked);
  if (!isJudged(phase)) return trainConfig({ ...given, phase, out, init: ref });
  return trainConfig({ ...given, phase, out, init: null, start: { ...given.start, ref } });
}

/** The same with its paths resolved from that directory; words, and names of nothing there, stay. */
export function fromDirectory<Command extends RunCommand>(
  command: Command,
  config: ConfigOf<Command>,
  directory: string,
): ConfigOf<Command> {
  let moved: object = config;
  for (const { path, node } of statedSettings(schemas[command])) {
    const value = node.path === undefined ? null : valueAtPath(config, path.join('.'));
    if (typeof value !== 'string') continue;
    const there = node.path === 'any' ? resolve(directory, value) : pathFrom(value, directory);
    moved = withValue(moved, path, there);
  }
  return moved as ConfigOf<Command>;
}

function withValue(group: object, [name, ...rest]: readonly string[], value: unknown): object {
  const inner = (group as Readonly<Record<string, unknown>>)[name!] as object;
  return { ...group, [name!]: rest.length === 0 ? value : withValue(inner, rest, value) };
}
