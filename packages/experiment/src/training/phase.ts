/** One phase of training from start to end: evaluate, collect the yardstick, train, evaluate again, say what came of it. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { EmacError, messageOf } from '@emac/core';
import { readJournal, whileReading } from '@emac/files';
import { createRun, holdRun, layout, requireSpace, type HeldRun, type Run } from '@emac/runs';
import type { EvaluationResult, MetricsLine } from '@emac/trainer';
import type { ChangeableValues } from './changeable-options.ts';
import { evaluateGames } from './held-out.ts';
import { say, type Io } from './io.ts';
import { inUse } from './model.ts';
import { BadPicture } from './offline-dataset.ts';
import { policyTexts } from './policy-texts.ts';
import { progress, type Progress } from './progress.ts';
import { keepReference } from './reference-folder.ts';
import { runConfig, storedValues } from './run-config.ts';
import { requireSameVersions, versionsOf } from './run-versions.ts';
import { counted, stopwatch } from './stopwatch.ts';
import type { PhaseValues } from './train-options.ts';
import { trainStudent, type Work } from './train-student.ts';
import { planTraining, type TrainingPlan } from './training-plan.ts';
import { shellWord, trainingReport } from './training-report.ts';

export interface Outcome {
  readonly before: EvaluationResult | null;
  readonly after: EvaluationResult | null;
  /** measures on the expert's steps before and after training; null without any */
  readonly firstProbe: MetricsLine | null;
  readonly lastProbe: MetricsLine | null;
  /** what the last round came to */
  readonly lastRound: MetricsLine | null;
}

export interface Beginning {
  readonly io: Io;
  readonly signal: AbortSignal;
  /** name of the run before */
  readonly previous?: string;
}

/** Carries out a phase in a new run folder, which it returns. Errors before that is made leave nothing behind. */
export async function beginPhase(values: PhaseValues, { io, signal, previous }: Beginning): Promise<string> {
  const watch = stopwatch(io.now);
  const plan = await watch.part('opening', () => planTraining(values, io));
  try {
    const run = createPlannedRun(plan, io, previous);
    return await carriedOut({ plan, run, point: null, watch, signal, io });
  } finally {
    await plan.dispose();
  }
}

export interface Continuing extends Beginning {
  readonly allowDrift: boolean;
  /** settings given anew */
  readonly changes?: Partial<ChangeableValues>;
}

/** Goes on with a phase that was stopped or killed. Errors: `cannot-create`, `data`, `config`, `missing`. */
export async function continuePhase(
  folder: string,
  { io, signal, allowDrift, changes }: Continuing,
): Promise<void> {
  const watch = stopwatch(io.now);
  const held = holdRun(folder);
  for (const damage of held.damage) say(io.stderr, `passed over: ${damage}`);
  let plan: TrainingPlan | undefined;
  let run: Run;
  try {
    const values = { ...storedValues(folder, held.record), ...changes };
    plan = await watch.part('opening', () => planTraining(values, io, { folder, point: held.point }));
    run = continuedRun(held, { folder, plan, allowDrift, io });
  } catch (thrown) {
    held.release();
    await plan?.dispose();
    throw thrown;
  }
  try {
    await carriedOut({ plan, run, point: held.point, watch, signal, io });
  } finally {
    await plan.dispose();
  }
}

const dateOf =
  ({ now }: Io) =>
  () =>
    new Date(now());

function createPlannedRun(plan: TrainingPlan, io: Io, previous: string | undefined): Run {
  const { values } = plan;
  return createRun({
    ...{ out: values.out, phase: values.phase, seed: values.seed, keep: values.keep },
    config: runConfig(plan),
    versions: versionsOf(plan),
    now: dateOf(io),
    ...(previous === undefined ? {} : { previous }),
    prepare: (folder) => {
      requireSpace(dirname(folder), spaceNeeded(plan));
      keepReference(folder, plan);
    },
  });
}

function continuedRun(
  held: HeldRun,
  {
    folder,
    plan,
    allowDrift,
    io,
  }: Pick<Continuing, 'allowDrift' | 'io'> & { folder: string; plan: TrainingPlan },
): Run {
  const versions = versionsOf(plan);
  requireSameVersions(folder, { before: held.record.versions, now: versions }, allowDrift);
  requireSpace(folder, spaceNeeded(plan));
  return held.goOn({ versions, now: dateOf(io), keep: plan.values.keep });
}

/** Three checkpoints of parameters and two moments each. */
function spaceNeeded({ student }: TrainingPlan): number {
  const bytes = [...student.parameters().values()].reduce((sum, { data }) => sum + data.byteLength, 0);
  return 3 * 3 * bytes;
}

type Begun = Omit<Work, 'texts' | 'progress' | 'now'> & { readonly io: Io };

/** Whatever goes wrong is also said in the run's own record. Returns the run's folder. */
async function carriedOut({ io, ...begun }: Begun): Promise<string> {
  const { plan, run, point, watch } = begun;
  const shown = progress(io.stderr, io.now);
  const texts = policyTexts(plan.student, plan.policy.text.maxTokens);
  try {
    introduce(begun, shown);
    const outcome = await parts({ ...begun, texts, progress: shown, now: io.now });
    run.finish(outcome.after ? { evaluation: outcome.after } : {});
    shown.end();
    say(io.stdout, trainingReport({ plan, folder: run.folder, outcome }));
    say(io.stdout, `time: ${watch.summary()}${point ? ' since it was resumed' : ''}`);
    return run.folder;
  } catch (thrown) {
    shown.end();
    recordEnd(run, thrown);
    const command = `npx emac train --resume ${shellWord(run.folder)}`;
    if (canGoOn(thrown)) say(io.stderr, `to go on: ${command}`);
    if (thrown instanceof BadPicture)
      say(
        io.stderr,
        `to go on: mend the picture, then ${command}; or without such records, ${command} --skip-bad-records`,
      );
    throw thrown;
  }
}

function introduce({ plan, run, point }: Pick<Begun, 'plan' | 'run' | 'point'>, shown: Progress): void {
  const { model, notes, games, settings, offline, values } = plan;
  shown.note(`run ${run.folder}${point ? `, from checkpoint ${point.step}` : ''}`);
  shown.note(inUse(model));
  for (const note of notes) shown.note(note);
  shown.note(
    offline
      ? `${counted(offline.data.length, 'sample')}, ${counted(values.epochs, 'epoch')}`
      : `${counted(games.length, 'game')}, ${counted(settings.rounds, 'round')}`,
  );
}

/** What time or the user can put right. */
function canGoOn(thrown: unknown): boolean {
  return thrown instanceof EmacError && ['interrupted', 'unavailable', 'auth', 'io'].includes(thrown.code);
}

/** A record that cannot be written must not hide why the run ended. */
function recordEnd(run: Run, thrown: unknown): void {
  const isStopped = thrown instanceof EmacError && thrown.code === 'interrupted';
  try {
    run.stop(isStopped ? 'interrupted' : 'failed', messageOf(thrown));
  } catch (unwritable) {
    if (!(unwritable instanceof EmacError)) throw unwritable;
  }
}

async function parts(work: Work): Promise<Outcome> {
  const { run, point, watch } = work;
  const before = point
    ? evaluatedBefore(run)
    : await watch.part('evaluation before', () => evaluateHeldOut(work, 'before', 'start'));
  if (before && !point) run.event({ kind: 'evaluated', when: 'before', result: before });
  const probes = point ? measuredBefore(run) : [];
  await trainStudent(work, probes);
  const latest = join(run.folder, layout.checkpoints, layout.latest);
  const last = whileReading(latest, () => readFileSync(latest, 'utf8')).trim();
  const after = await watch.part('evaluation after', () => evaluateHeldOut(work, 'after', last));
  const [firstProbe = null, lastProbe = null] = [probes[0], probes.at(-1)];
  const lastRound = metricsOf(run).findLast(({ kind }) => kind === 'round') ?? null;
  return { before, after, firstProbe, lastProbe, lastRound };
}

async function evaluateHeldOut(
  work: Work,
  when: 'before' | 'after',
  checkpoint: string,
): Promise<EvaluationResult | null> {
  const { plan, progress: shown, signal } = work;
  const { policy, heldOut: games, trainedOn, settings } = plan;
  const { admissibleOnly } = settings;
  if (games.length === 0) return null;
  shown.begin(`evaluation ${when}`, games.length);
  const student = when === 'before' ? plan.before : plan.student;
  return evaluateGames({
    ...{ student, policy, games, trainedOn, checkpoint, admissibleOnly, signal },
    progress: shown,
  });
}

/** For people only, and so in the file for people. */
function evaluatedBefore({ folder }: Run): EvaluationResult | null {
  const events = readJournal(join(folder, layout.events)) as { kind: string; result?: EvaluationResult }[];
  return events.findLast(({ kind }) => kind === 'evaluated')?.result ?? null;
}

function measuredBefore({ folder }: Run): MetricsLine[] {
  return metricsOf({ folder }).filter(({ kind }) => kind === 'probe');
}

function metricsOf({ folder }: Pick<Run, 'folder'>): MetricsLine[] {
  return readJournal(join(folder, layout.metrics)) as MetricsLine[];
}
