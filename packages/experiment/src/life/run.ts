/**
 * The life of a run for any method: open its parts, create or resume its folder, evaluate, train, evaluate again,
 * finish. An error before the folder exists leaves nothing behind; a later one is recorded in the run and thrown as a
 * `RunError`.
 */
import { dirname } from 'node:path';
import { EmacError } from '@emac/core';
import { isThere, requireSpace } from '@emac/files';
import { closings, limitOf, timesOf, warn, type Host, type Times, type Trial } from '@emac/opening';
import { createRun, holdRun, isDone, type ResumePoint, type Run } from '@emac/runs';
import { evaluateAfter, evaluateBefore } from './evaluations.ts';
import type { Finished, Opened, Recipe, Types, Work } from './recipe.ts';
import { runEnded } from './run-end.ts';
import { requireSameVersions } from './same-versions.ts';

export interface BeginOptions {
  /** name of the run before it */
  readonly previous?: string;
}

/** Trains in a new run folder. */
export async function beginRun<T extends Types>(
  recipe: Recipe<T>,
  asked: T['asked'],
  { previous, ...host }: Host & BeginOptions,
): Promise<Finished<T>> {
  const times = timesOf(host.now);
  const opened = await times.part('opening', () => recipe.open(asked, null, host));
  try {
    const run = created(opened, host, previous);
    return await lived({ recipe, opened, run, point: null, host, times, wasResumed: false });
  } finally {
    await opened.dispose();
  }
}

/** A run that is opened and not begun. */
export interface OpenedRun<T extends Types = Types> extends Pick<
  Opened<T>,
  'config' | 'phase' | 'method' | 'space' | 'notes' | 'expected' | 'dispose'
> {
  /** Begins the run in this folder, as small as the trial; it ends like any run. It changes the opened policy. */
  tried(out: string, trial: Trial, host: Host): Promise<Finished<T>>;
}

/** Opens a run for a dry run. Errors: those of `beginRun` before its folder is made. */
export async function openRun<T extends Types>(
  recipe: Recipe<T>,
  asked: T['asked'],
  host: Host,
): Promise<OpenedRun<T>> {
  const opened = await recipe.open(asked, null, host);
  return {
    ...opened,
    async tried(out, trial, told) {
      const [times, within] = [timesOf(told.now), { ...told, trial }];
      const run = created({ ...opened, config: { ...opened.config, out } }, within, undefined);
      return lived({ recipe, opened, run, point: null, host: within, times, wasResumed: false });
    },
  };
}

/** For a dry run, which sends no requests; null for no address. Errors: `usage`. */
export function refuseElsewhere(flag: string, address: string | null): void {
  if (address !== null)
    throw new EmacError(
      'usage',
      `--dry-run: asks no service, but ${flag} ${address} answers during training; leave one out`,
    );
}

export interface ResumeHost extends Host {
  /** ignore other code or backends; default false */
  readonly allowDrift?: boolean;
}

export interface ResumeOptions<Asked> extends ResumeHost {
  /** changes the run's settings on resume */
  readonly changed?: (asked: Asked) => Asked;
}

/** Resumes a run that was stopped or killed, to the bytes of an uninterrupted one; null for a finished run. Errors: `missing`, `config`, `data`, `cannot-create`; `RunError`. */
export async function resumeRun<T extends Types>(
  recipe: Recipe<T>,
  folder: string,
  { allowDrift = false, changed = (asked) => asked, ...host }: ResumeOptions<T['asked']>,
): Promise<Finished<T> | null> {
  if (!isThere(folder)) throw new EmacError('missing', `--resume ${folder}: does not exist`);
  if (isDone(folder)) {
    host.listener?.note?.(`run ${folder}: is finished`);
    return null;
  }
  const times = timesOf(host.now);
  const held = holdRun(folder);
  const { point, record, damage } = held;
  for (const each of damage) warn(host.listener, `skipped: ${each}`);
  let opened: Opened<T> | undefined;
  let run: Run;
  try {
    const asked = changed(recipe.read(folder, record.workingDirectory));
    opened = await times.part('opening', () => recipe.open(asked, { folder, point }, host));
    const { versions, space, config } = opened;
    requireSameVersions(folder, { before: record.versions, now: versions }, allowDrift);
    requireSpace(folder, space);
    run = held.goOn({ versions, now: () => new Date(host.now()), keep: config.keep });
  } catch (thrown) {
    held.release();
    await opened?.dispose();
    throw thrown;
  }
  try {
    return await lived({ recipe, opened, run, point, host, times, wasResumed: true });
  } finally {
    await opened.dispose();
  }
}

function created<T extends Types>(opened: Opened<T>, host: Host, previous: string | undefined): Run {
  const { config, phase, method, stored, versions, space } = opened;
  const { out, seed, keep } = config;
  return createRun({
    out,
    phase,
    seed,
    keep,
    config: stored,
    versions,
    now: () => new Date(host.now()),
    ...(method !== undefined && { method }),
    ...(host.title !== undefined && { title: host.title }),
    ...(previous !== undefined && { previous }),
    prepare: (folder) => {
      requireSpace(dirname(folder), space);
      opened.prepare?.(folder);
    },
  });
}

interface Begun<T extends Types> {
  readonly recipe: Recipe<T>;
  readonly opened: Opened<T>;
  readonly run: Run;
  readonly point: ResumePoint | null;
  readonly host: Host;
  readonly times: Times;
  readonly wasResumed: boolean;
}

/** Records any error in the run. */
async function lived<T extends Types>(begun: Begun<T>): Promise<Finished<T>> {
  const { run, host } = begun;
  const open = closings();
  try {
    return await carriedOut(begun, { ...begun, open }).finally(() => open.close());
  } catch (thrown) {
    throw runEnded(run, limitOf(host.memory, thrown));
  } finally {
    host.listener?.end?.();
  }
}

async function carriedOut<T extends Types>(
  { recipe, opened, wasResumed }: Begun<T>,
  work: Work,
): Promise<Finished<T>> {
  const { run, times } = work;
  await introduce(opened, work);
  const training = await opened.begin(work);
  const { workers } = training;
  const { config } = opened;
  await workers?.agreed();
  const before = await times.part('evaluation before', () => evaluateBefore(training, work, config));
  const { updates: _updates, ...came } = await training.train();
  const after = await times.part('evaluation after', () => evaluateAfter(training, work, config));
  await workers?.agreed();
  run.finish({
    ...(after && { evaluation: after }),
    ...(config.onlyLast && { onlyLast: true }),
    ...(came.stopped !== null && { reason: came.stopped }),
  });
  await workers?.forget();
  const { folder } = run;
  return { command: recipe.command, folder, config, before, after, ...came, spent: times.spent, wasResumed };
}

async function introduce<T extends Types>(opened: Opened<T>, { run, point, host }: Work): Promise<void> {
  host.listener?.run?.(run.folder);
  const from = point ? `, from checkpoint ${point.step}` : '';
  for (const line of [`run ${run.folder}${from}`, ...(await opened.notes())]) host.listener?.note?.(line);
}
