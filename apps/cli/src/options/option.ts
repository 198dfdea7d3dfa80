/** One table of options per command: the source of its flags, their checks and `--help`. */
import { anyText, oneOf, switched, wholeNumber, type Form } from './form.ts';

export interface Option<T> {
  /** one sentence, with the unit */
  readonly help: string;
  readonly form: Form<unknown>;
  /** the value without the flag */
  readonly default: T;
  /** the default as shown by `--help`; null for none */
  readonly defaultText: string | null;
  readonly isRequired: boolean;
  /** other names of the flag, such as a published one */
  readonly aliases?: readonly string[];
}

export type OptionTable = Readonly<Record<string, Option<unknown>>>;

export type Values<Table extends OptionTable> = {
  readonly [Name in keyof Table]: Table[Name] extends Option<infer T> ? T : never;
};

interface Description<D> {
  readonly help: string;
  readonly default: D;
  /** replaces the shown default, if another place decides */
  readonly defaultText?: string;
}

/** A free text, such as a path. */
export function text<D extends string | null>(described: Description<D>): Option<string | D> {
  return option<string | D>(described, anyText);
}

/** One of the given words. */
export function choice<const C extends string, D extends C | null>(
  choices: readonly C[],
  described: Description<D>,
): Option<C | D> {
  return option<C | D>(described, oneOf(choices));
}

/** A value of another form. */
export function formed<T, D extends T | null>(form: Form<T>, described: Description<D>): Option<T | D> {
  return option<T | D>(described, form);
}

/** A required text. */
export function requiredText(help: string): Option<string> {
  return { help, form: anyText, default: '', defaultText: null, isRequired: true };
}

/** A whole number from `least` to `most`. */
export function integer<D extends number | null>(
  [least, most]: readonly [least: number, most: number],
  described: Description<D>,
): Option<number | D> {
  return option<number | D>(described, wholeNumber(least, most));
}

/** On if named. */
export function toggle(help: string): Option<boolean> {
  return { help, form: switched(true), default: false, defaultText: null, isRequired: false };
}

function option<T>(described: Description<T>, form: Form<unknown>): Option<T> {
  const { help, default: otherwise, defaultText } = described;
  const shown = otherwise === null ? null : String(otherwise);
  return { help, form, default: otherwise, defaultText: defaultText ?? shown, isRequired: false };
}

/** The values of a table from typed text. Each invalid one gives a sentence: the flag, its form and the text. */
export function readValues<Table extends OptionTable>(
  table: Table,
  typed: Readonly<Record<string, unknown>>,
): { readonly values: Values<Table>; readonly problems: readonly string[] } {
  const read = Object.entries(table).map(([name, each]) => {
    const [used, ...others] = [name, ...(each.aliases ?? [])].filter((one) => typed[one] !== undefined);
    if (others.length === 0) return [name, readValue(each, typed[used ?? name])] as const;
    return [name, { problem: `was also given as --${others.join(', --')}, give one of them` }] as const;
  });
  return {
    values: Object.fromEntries(read.map(([name, found]) => [name, (found as Read).value])) as Values<Table>,
    problems: read.flatMap(([name, { problem }]) => (problem === undefined ? [] : [`--${name}: ${problem}`])),
  };
}

interface Read {
  readonly value?: unknown;
  readonly problem?: string;
}

function readValue(option: Option<unknown>, typed: unknown): Read {
  const { words, parse } = option.form;
  if (typed === undefined)
    return option.isRequired ? { problem: `is required, give ${words}` } : { value: option.default };
  if (Array.isArray(typed) && words !== null && !option.form.isMany)
    return { problem: `was given ${typed.length} times, give it once` };
  const value = parse(String(typed));
  if (value === undefined && typed === '' && words === anyText.words) return { problem: 'must not be empty' };
  return value === undefined
    ? { problem: `must be ${words}, got ${JSON.stringify(String(typed))}` }
    : { value };
}
