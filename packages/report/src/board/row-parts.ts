/** What a row of the list takes from each of its files. A part is read again when its file has changed. */
import { ratesOf, type Rate, type Rates } from '@emac/pages/data';
import { layout } from '@emac/runs';
import { parse } from 'yaml';
import { flagsIn } from './command-flags.ts';
import type { MetricsSummary } from './metrics-summary.ts';
import { notesIn, type Notes } from './notes.ts';
import { resultFiles, type RowFile } from './result-folders.ts';

export type Scalar = string | number | boolean | null;

/** Plain data, so that it can be stored. A part is missing with its file, or if the file is damaged. */
export interface RowParts {
  [layout.run]?: RecordPart;
  [layout.config]?: Readonly<Record<string, Scalar>>;
  [layout.command]?: readonly string[];
  [layout.metrics]?: MetricsSummary;
  [layout.evaluation]?: EvaluationPart;
  [layout.evaluationBefore]?: EvaluationPart;
  [layout.done]?: true;
  [layout.notes]?: Notes;
  [resultFiles.comparison]?: ComparisonPart;
  [resultFiles.sweep]?: readonly string[];
  [resultFiles.sweepResults]?: SweepPart;
}

export interface RecordPart {
  readonly method: string | null;
  readonly title: string | null;
  readonly status: string | null;
  readonly started: string | null;
  readonly ended: string | null;
}

export interface EvaluationPart {
  readonly environment: string | null;
  readonly checkpoint: string | null;
  readonly rates: Rates;
}

export interface ComparisonPart {
  readonly environment: string | null;
  readonly policies: readonly string[];
  readonly best: Rate | null;
}

export interface SweepPart {
  readonly best: Rate | null;
}

/** Reads each file but `metrics.jsonl`, which is read as it grows. Errors: for a damaged file, of any kind. */
export const partReaders: {
  readonly [File in Exclude<RowFile, typeof layout.metrics>]: (text: string) => RowParts[File];
} = {
  [layout.run]: (text) => {
    const { method, phase, title, status, started, ended } = objectIn(text);
    return {
      method: textOf(method) ?? textOf(phase),
      title: textOf(title),
      status: textOf(status),
      started: textOf(started),
      ended: textOf(ended),
    };
  },
  [layout.config]: settingsIn,
  [layout.command]: (text) => flagsIn(text),
  [layout.evaluation]: evaluationIn,
  [layout.evaluationBefore]: evaluationIn,
  [layout.done]: () => true,
  [layout.notes]: notesIn,
  [resultFiles.comparison]: (text) => {
    const { env, policies } = objectIn(text);
    const rows = listOf(policies);
    return {
      environment: textOf(env),
      policies: rows.map(({ policy }) => String(policy)),
      best: highest(rows.map(({ success, success_ci95, episodes }) => ({ success, success_ci95, episodes }))),
    };
  },
  [resultFiles.sweep]: sweptIn,
  [resultFiles.sweepResults]: (text) => ({
    best: highest(
      listOf(objectIn(text)['rows']).map(({ success }) => ({ success: objectOf(success)['mean'] })),
    ),
  }),
};

/** parts of `config.yaml` that are no settings, or are its settings once more */
const noSettings = new Set(['v', 'command', 'drawn', 'given']);

/** The settings in the text of `config.yaml`, by path. Lists stand as JSON. Errors: of a damaged text, of any kind. */
export function settingsIn(text: string): Readonly<Record<string, Scalar>> {
  const settings: Record<string, Scalar> = {};
  const add = (value: unknown, path: string): void => {
    if (Array.isArray(value)) settings[path] = JSON.stringify(value);
    else if (typeof value !== 'object' || value === null) settings[path] = (value ?? null) as Scalar;
    else
      for (const [name, inner] of Object.entries(value)) add(inner, path === '' ? name : `${path}.${name}`);
  };
  // the tasks that were drawn may be thousands of lines
  const shown = text.replace(/^drawn:\n(?: *- .*\n)*/m, '');
  const stated = Object.entries(objectOf(parse(shown))).filter(([name]) => !noSettings.has(name));
  add(Object.fromEntries(stated), '');
  return settings;
}

function evaluationIn(text: string): EvaluationPart {
  const result = objectIn(text);
  const { env, checkpoint } = result;
  return { environment: textOf(env), checkpoint: textOf(checkpoint), rates: ratesOf(result) };
}

/** The settings that a sweep tries: `optimization.learningRate 0.01, 0.1`. */
function sweptIn(text: string): readonly string[] {
  const { grid, random, seeds } = objectOf(objectIn(text)['file']);
  const said = (values: unknown) =>
    Array.isArray(values)
      ? values.map((value) => (typeof value === 'string' ? value : JSON.stringify(value))).join(', ')
      : `${String(objectOf(values)['from'])} to ${String(objectOf(values)['to'])}`;
  const tried = { ...objectOf(grid), ...objectOf(objectOf(random)['settings']), seed: seeds };
  return Object.entries(tried).flatMap(([name, values]) =>
    values === undefined ? [] : [`${name} ${said(values)}`],
  );
}

interface Counted {
  readonly success: unknown;
  readonly success_ci95?: unknown;
  readonly episodes?: unknown;
}

/** Null where none was measured. */
function highest(rows: readonly Counted[]): Rate | null {
  const known = rows.flatMap(({ success, success_ci95: bounds, episodes }) =>
    typeof success === 'number'
      ? [
          {
            share: success,
            games: numberOf(episodes),
            interval: (bounds as Rate['interval'] | undefined) ?? null,
          },
        ]
      : [],
  );
  return known.reduce<Rate | null>((best, each) => (best && best.share >= each.share ? best : each), null);
}

const objectIn = (text: string) => objectOf(JSON.parse(text));
const listOf = (value: unknown) => (Array.isArray(value) ? value : []).map(objectOf);
const textOf = (value: unknown) => (typeof value === 'string' ? value : null);
const numberOf = (value: unknown) => (typeof value === 'number' ? value : null);

function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}
