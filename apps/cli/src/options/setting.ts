/** Options that set parts of a configuration. Form, help text and default come from its schema. */
import { isDeepStrictEqual } from 'node:util';
import { invariant } from '@emac/core';
import type { z } from 'zod';
import { settingsIn } from './described-setting.ts';
import { orNull, switched, wordFor, type Form } from './form.ts';
import type { Option } from './option.ts';

/** Absent unless typed. */
export interface Setting extends Option<unknown> {
  /** its path in the configuration, e.g. `optimization.learningRate` */
  readonly paths: readonly string[];
  /** the part of a value for one of its paths; default the value itself */
  readonly valueAt?: (path: string, value: unknown) => unknown;
  /** a value in the flag's form */
  readonly shown: (value: unknown) => string;
}

/** Paths of a configuration, with dots between the names. */
export type PathOf<T> = T extends readonly unknown[]
  ? `${number}`
  : T extends object
    ? { [K in keyof T & string]: K | `${K}.${PathOf<NonNullable<T[K]>>}` }[keyof T & string]
    : never;

export interface Words {
  /** replaces the schema's sentence */
  readonly help?: string;
  /** the default in words, if another place than the schema decides */
  readonly otherwise?: string;
}

/** The default to show for a flag, in the flag's form; null to show the schema's. */
export type DefaultText = (path: string, shown: Setting['shown']) => string | null;

export interface SettingsOf<Config> {
  /** a setting in the schema's own form */
  at(path: PathOf<Config>, words?: Words): Setting;
  /** several settings under one flag */
  both(paths: readonly PathOf<Config>[], words?: Words): Setting;
  /** a switch that turns off a setting; the help line describes the effect */
  off(path: PathOf<Config>, help: string): Setting;
  /** the schema's form, or a word for null */
  orNull(path: PathOf<Config>, word: string, words?: Words): Setting;
  /** words that stand for values */
  words<T>(path: PathOf<Config>, values: Readonly<Record<string, T>>, words?: Words): Setting;
}

/** Makes the options of a configuration. */
export function settingsOf<Config>(
  schema: z.ZodType<Config>,
  defaultText: DefaultText = () => null,
): SettingsOf<Config> {
  const described = settingsIn(schema);
  const setting = (paths: readonly string[], { help, otherwise }: Words, as: Taken = {}): Setting => {
    const { help: sentence, form = null, default: standard, aliases } = described(paths[0]!);
    const taken = as.form ?? form;
    invariant(taken !== null, `settings: ${paths[0]} takes no single value`);
    const shown = as.shown ?? String;
    const ofSchema =
      standard === undefined || standard === null || taken.words === null ? null : shown(standard);
    const isSwitch = taken.words === null;
    const text = isSwitch ? null : (otherwise ?? defaultText(paths[0]!, shown) ?? ofSchema);
    return {
      help: help ?? sentence,
      form: taken,
      default: undefined,
      defaultText: text,
      isRequired: false,
      paths,
      shown,
      ...(aliases.length > 0 && { aliases }),
    };
  };
  return {
    at: (path, words = {}) => setting([path], words),
    both: (paths, words = {}) => setting(paths, words),
    off: (path, help) => setting([path], { help }, { form: switched(false), shown: (on) => String(!on) }),
    orNull(path, word, words = {}) {
      const { form } = described(path);
      invariant(form !== null, `settings: ${path} takes no single value`);
      return setting([path], words, { form: orNull(form, word), shown: (value) => String(value ?? word) });
    },
    words: (path, values, words = {}) =>
      setting([path], words, { form: wordFor(values), shown: (value) => wordOf(values, value) }),
  };
}

interface Taken {
  readonly form?: Form<unknown>;
  readonly shown?: Setting['shown'];
}

/** The word for an equal value, else the last word, which stands for all other values. */
function wordOf(values: Readonly<Record<string, unknown>>, value: unknown): string {
  const words = Object.keys(values);
  return words.find((word) => isDeepStrictEqual(values[word], value)) ?? words.at(-1)!;
}
