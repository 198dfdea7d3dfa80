/**
 * One table of options per command: from it come the flags, their checks, `--help` and the saved configuration.
 * Values arrive as text and are parsed here, because a parser of flags would turn `--lr abc` into NaN and
 * `--lr 1 --lr 2` into a list without a word.
 */
import { EmacError } from '@emac/core';

export interface Option<T> {
  /** one sentence, with the unit */
  readonly help: string;
  readonly default: T;
  /** the default as `--help` shows it; null for none */
  readonly defaultText: string | null;
  /** what a value looks like, in `--help` and in messages; null for a switch, which takes none */
  readonly form: string | null;
  readonly isRequired: boolean;
  /** the value, or undefined for a text of another form */
  readonly parse: (text: string) => T | undefined;
}

export type OptionTable = Readonly<Record<string, Option<unknown>>>;

export type Values<Table extends OptionTable> = {
  readonly [Name in keyof Table]: Table[Name] extends Option<infer T> ? T : never;
};

/** the form of options that take any text */
export const freeText = 'a text';

interface Description<D> {
  readonly help: string;
  readonly default: D;
  /** where the value that is used without the flag is found elsewhere */
  readonly defaultText?: string;
}

/** A free text, such as a path. */
export function text<D extends string | null>(described: Description<D>): Option<string | D> {
  return option<string | D>(described, freeText, (given) => (given === '' ? undefined : given));
}

/** One of the given words. */
export function choice<const C extends string, D extends C | null>(
  choices: readonly C[],
  described: Description<D>,
): Option<C | D> {
  return option<C | D>(described, choices.join(' or '), (given) => choices.find((each) => each === given));
}

/** A text that has to be given. */
export function requiredText(help: string): Option<string> {
  return { ...text({ help, default: '' }), defaultText: null, isRequired: true };
}

/** A whole number from `minimum` to `maximum`: far above any use, below what would only fill the memory. */
export function integer<D extends number | null>(
  [minimum, maximum]: readonly [minimum: number, maximum: number],
  described: Description<D>,
): Option<number | D> {
  return option<number | D>(described, `a whole number from ${minimum} to ${maximum}`, (given) => {
    const value = /^\d{1,15}$/.test(given) ? Number(given) : NaN;
    return value >= minimum && value <= maximum ? value : undefined;
  });
}

/** A whole number from 1 on, or `all`, which is null. */
export function countOrAll(described: Description<number>): Option<number | null> {
  const form = 'a whole number from 1, or all';
  const parse = (given: string) => {
    if (given === 'all') return null;
    return /^[1-9]\d{0,8}$/.test(given) ? Number(given) : undefined;
  };
  return option<number | null>(described, form, parse);
}

/** A number from zero on; `above 0` leaves zero itself out. */
export function number<D extends number | null>(
  range: 'above 0' | 'from 0' | 'from 0 to 1',
  described: Description<D>,
): Option<number | D> {
  return option<number | D>(described, `a number ${range}`, (given) => {
    const value = /^(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(given) ? Number(given) : NaN;
    const isIn = range === 'above 0' ? value > 0 : value >= 0 && (range === 'from 0' || value <= 1);
    return Number.isFinite(value) && isIn ? value : undefined;
  });
}

/** A number above zero, or `none`. */
export function numberOrNone<D extends null>(described: Description<D>): Option<number | 'none' | D> {
  const { parse } = number('above 0', described);
  return option<number | 'none' | D>(described, 'a number above 0, or none', (given) =>
    given === 'none' ? given : parse(given),
  );
}

/** On when named. */
export function toggle(help: string): Option<boolean> {
  return { help, default: false, defaultText: null, form: null, isRequired: false, parse: () => true };
}

function option<T>(described: Description<T>, form: string, parse: Option<T>['parse']): Option<T> {
  const shown = described.defaultText ?? (described.default === null ? null : String(described.default));
  return {
    help: described.help,
    default: described.default,
    defaultText: shown,
    form,
    isRequired: false,
    parse,
  };
}

/** The values of a table for what was typed; `usage` names the flag, what it takes and what it got. */
export function readValues<Table extends OptionTable>(
  table: Table,
  typed: Readonly<Record<string, unknown>>,
): Values<Table> {
  const entries = Object.entries(table).map(([name, each]) => [
    name,
    readValue(`--${name}`, each, typed[name]),
  ]);
  return Object.fromEntries(entries) as Values<Table>;
}

function readValue(
  flag: string,
  { form, isRequired, parse, default: otherwise }: Option<unknown>,
  typed: unknown,
) {
  if (typed === undefined) {
    if (isRequired) throw new EmacError('usage', `${flag}: is needed, give ${form}`);
    return otherwise;
  }
  if (form === null) return true;
  if (Array.isArray(typed))
    throw new EmacError('usage', `${flag}: was given ${typed.length} times, give it once`);
  const value = parse(String(typed));
  if (value === undefined)
    throw new EmacError('usage', `${flag}: must be ${form}, got ${JSON.stringify(String(typed))}`);
  return value;
}
