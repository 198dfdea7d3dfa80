/** A row of the list, from what is known of a result's files. */
import type { ResultKind, RunRow } from '@emac/pages';
import { evaluatedSuccess, type Rate, type Success } from '@emac/pages/data';
import { layout } from '@emac/runs';
import { curveValues, own, type MetricsSummary } from './metrics-summary.ts';
import { noNotes } from './notes.ts';
import { resultFiles, type ResultFolder } from './result-folders.ts';
import type { RowParts } from './row-parts.ts';

/** What is known of a result. */
export interface Known {
  readonly found: ResultFolder;
  readonly parts: RowParts;
  /** how it stands; null where nothing runs */
  readonly state: string | null;
}

/** games, where nothing else is named */
const games = 'alfworld';

/** The row. `parts` are the rows of a sweep's runs or a comparison's policies; `now` is the end of what still runs. */
export function rowOf(known: Known, parts: readonly RunRow[], now: Date): RunRow {
  const { found, parts: files } = known;
  const { title, note, isStarred } = files[layout.notes] ?? noNotes;
  const record = files[layout.run];
  const settings = files[layout.config] ?? {};
  return {
    name: found.name,
    kind: found.kind,
    parent: found.parent,
    title: title ?? record?.title ?? null,
    note,
    isStarred,
    method: record?.method ?? common(parts.map(({ method }) => method)),
    changed: files[resultFiles.sweep] ?? files[layout.command] ?? [],
    settings,
    ...numbersOf(files[layout.metrics]),
    ...rowOfKind[found.kind](known, parts, now),
  };
}

type OfKind = Pick<RunRow, 'environment' | 'policy' | 'state' | 'started' | 'seconds' | 'success'> &
  Partial<Pick<RunRow, 'updates' | 'environmentSteps'>>;

const rowOfKind: Readonly<Record<ResultKind, (known: Known, parts: readonly RunRow[], now: Date) => OfKind>> =
  {
    run: ({ found, parts: files, state }, _parts, now) => {
      const settings = files[layout.config];
      const record = files[layout.run];
      const started = record?.started ?? null;
      const ended = record?.ended ?? (state === 'running' ? now.toISOString() : lastChange(found));
      return {
        environment: settings === undefined ? null : (textOf(settings['env']) ?? games),
        policy: policyName(textOf(settings?.['policy'])),
        state,
        started,
        seconds: secondsBetween(started, ended),
        success: {
          evaluated: evaluatedSuccess(
            files[layout.evaluationBefore]?.rates ?? null,
            files[layout.evaluation]?.rates ?? null,
          ),
          ...trainingSuccess(files[layout.metrics]),
        },
      };
    },
    evaluation: ({ found, parts: files }) => {
      const result = files[layout.evaluation];
      return {
        environment: result ? (result.environment ?? games) : null,
        policy: policyName(result?.checkpoint ?? null),
        state: null,
        started: timeOf(found, layout.evaluation),
        seconds: null,
        success: { ...unmeasured, evaluated: evaluatedSuccess(null, result?.rates ?? null) },
      };
    },
    comparison: ({ found, parts: files }) => {
      const result = files[resultFiles.comparison];
      return {
        environment: result ? (result.environment ?? games) : null,
        policy: result ? result.policies.map(policyName).join(', ') : null,
        state: null,
        started: timeOf(found, resultFiles.comparison),
        seconds: null,
        success: { ...unmeasured, evaluated: bestSuccess(result?.best) },
      };
    },
    sweep: ({ parts: files }, runs, now) => {
      const started = earliest(runs.map((run) => run.started));
      const states = runs.map(({ state }) => state);
      const state = order.find((each) => states.includes(each)) ?? null;
      const last = Math.max(...runs.map((run) => Date.parse(run.started ?? '') + 1000 * (run.seconds ?? 0)));
      return {
        environment: common(runs.map(({ environment }) => environment)),
        policy: common(runs.map(({ policy }) => policy)),
        state,
        started,
        seconds: secondsBetween(started, state === 'running' ? now.toISOString() : isoOf(last)),
        success: { ...unmeasured, evaluated: bestSuccess(files[resultFiles.sweepResults]?.best) },
        updates: runs.reduce((sum, run) => sum + run.updates, 0),
        environmentSteps: sumOf(runs.map((run) => run.environmentSteps)),
      };
    },
  };

const unmeasured = { evaluated: null, curve: [], last: null, best: null };
/** how a sweep stands: as the first of these that one of its runs has */
const order = ['running', 'failed', 'killed', 'interrupted', 'done'];

function numbersOf(
  metrics: MetricsSummary | undefined,
): Pick<RunRow, 'updates' | 'environmentSteps' | 'metrics'> {
  if (!metrics) return { updates: 0, environmentSteps: null, metrics: {} };
  const named = Object.entries(metrics.numbers).flatMap(([kind, numbers]) =>
    Object.entries(numbers).map(([name, extent]) => [`${kind} ${name}`, extent] as const),
  );
  const counted = numberNamed(metrics, 'environment_steps')?.last ?? null;
  return {
    updates: metrics.updates,
    environmentSteps: counted ?? (metrics.stepsOfRounds > 0 ? metrics.stepsOfRounds : null),
    metrics: Object.fromEntries(named),
  };
}

function bestSuccess(best: Rate | null | undefined): Success | null {
  return best ? { on: 'best', before: null, after: best, p: null } : null;
}

function trainingSuccess(metrics: MetricsSummary | undefined): Omit<RunRow['success'], 'evaluated'> {
  const extent = metrics && numberNamed(metrics, 'success');
  const curve = metrics && kinds.map((kind) => own(metrics.curves, kind)).find((found) => found);
  return {
    curve: extent && curve ? curveValues(curve, extent.last) : [],
    last: extent?.last ?? null,
    best: extent?.high ?? null,
  };
}

/** kinds of lines that say how a training goes, the one that counts first */
const kinds = ['update', 'round'];

function numberNamed({ numbers }: MetricsSummary, name: string) {
  return kinds.map((kind) => own(own(numbers, kind) ?? {}, name)).find((found) => found);
}

/** `mlp`; the last part of a model's or a checkpoint's path, and the run that a checkpoint is of. */
function policyName(policy: string | null): string | null {
  if (policy === null) return null;
  const parts = policy.split(/[/\\]/).filter((part) => part !== '');
  const place = parts.indexOf(layout.checkpoints);
  return (place > 0 ? parts[place - 1] : parts.at(-1)) ?? policy;
}

/** The latest of its files' times. */
function lastChange({ stamps }: ResultFolder): string | null {
  const { [layout.notes]: _notes, ...others } = stamps;
  return isoOf(Math.max(...Object.values(others).map(([, changed]) => changed)));
}

function timeOf({ stamps }: ResultFolder, file: keyof ResultFolder['stamps']): string | null {
  return isoOf(stamps[file]?.[1] ?? NaN);
}

function isoOf(milliseconds: number): string | null {
  return Number.isFinite(milliseconds) ? new Date(milliseconds).toISOString() : null;
}

function secondsBetween(from: string | null, to: string | null): number | null {
  const milliseconds = Date.parse(to ?? '') - Date.parse(from ?? '');
  return Number.isFinite(milliseconds) ? Math.max(0, milliseconds / 1000) : null;
}

function earliest(times: readonly (string | null)[]): string | null {
  return times.filter((time) => time !== null).sort()[0] ?? null;
}

/** What all have in common; null if they differ. */
function common(values: readonly (string | null)[]): string | null {
  return new Set(values).size === 1 ? values[0]! : null;
}

function sumOf(values: readonly (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : known.reduce((sum, value) => sum + value, 0);
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : null);
