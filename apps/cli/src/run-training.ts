/** One phase of training from start to end: evaluate, collect the yardstick, train, evaluate again, say what came of it. */
import { EmacError, messageOf, type Expert, type WorldSource } from '@emac/core';
import { createRun, type Run } from '@emac/runs';
import {
  collectProbe,
  train,
  type EvaluationResult,
  type MetricsLine,
  type PolicyTexts,
  type ProbeStep,
  type ProgressEvent,
} from '@emac/trainer';
import { renderFrame, worldSource } from '@emac/world';
import { codeHash } from './code-hash.ts';
import { checkpointKeeper } from './checkpoint-keeper.ts';
import { checkpointContent } from './checkpoint-content.ts';
import { evaluateGames, stopIfAsked } from './held-out.ts';
import { say, type Io } from './io.ts';
import { learnerOf } from './learner.ts';
import { inUse } from './model.ts';
import { policyTexts } from './policy-texts.ts';
import { progress, type Progress } from './progress.ts';
import { runConfig } from './run-config.ts';
import { runLog } from './run-log.ts';
import { counted, stopwatch, type Stopwatch } from './stopwatch.ts';
import type { TrainValues } from './train-options.ts';
import { planTraining, type TrainingPlan } from './training-plan.ts';
import { trainingReport } from './training-report.ts';
import { version } from './version.ts';

/** What a run is carried out with. */
interface Work {
  readonly plan: TrainingPlan;
  readonly run: Run;
  readonly texts: PolicyTexts;
  readonly progress: Progress;
  readonly watch: Stopwatch;
  readonly signal: AbortSignal;
}

export interface Outcome {
  readonly before: EvaluationResult | null;
  readonly after: EvaluationResult | null;
  /** measures on the expert's steps before and after training; null without any */
  readonly firstProbe: MetricsLine | null;
  readonly lastProbe: MetricsLine | null;
}

/** Carries out `emac train`; returns 0. Errors before the run folder is made leave nothing behind. */
export async function runTraining(values: TrainValues, io: Io): Promise<number> {
  const watch = stopwatch(io.now);
  const plan = await watch.part('opening', () => planTraining(values, io));
  try {
    const signal = io.catchInterruption();
    const run = createPlannedRun(plan, io);
    const shown = progress(io.stderr, io.now);
    introduce(plan, run, shown);
    const texts = policyTexts(plan.student, plan.policy.text.maxTokens);
    const outcome = await carriedOut({ plan, run, texts, progress: shown, watch, signal });
    say(io.stdout, trainingReport({ plan, folder: run.folder, outcome }));
    say(io.stdout, `time: ${watch.summary()}`);
    return 0;
  } finally {
    await plan.dispose();
  }
}

function createPlannedRun(plan: TrainingPlan, { now }: Io): Run {
  const { values, model } = plan;
  return createRun({
    out: values.out,
    phase: values.phase,
    seed: values.seed,
    config: runConfig(plan),
    versions: {
      emac: version,
      code: codeHash(),
      node: process.version,
      tensorflow: model.tensorflow.note,
      provider: model.provider,
      model: model.identity,
    },
    now: () => new Date(now()),
  });
}

function introduce({ model, notes, games, settings }: TrainingPlan, run: Run, shown: Progress): void {
  shown.note(`run ${run.folder}`);
  shown.note(inUse(model));
  for (const note of notes) shown.note(note);
  shown.note(`${counted(games.length, 'game')}, ${counted(settings.rounds, 'round')}`);
}

/** Whatever goes wrong is also said in the run's own record. */
async function carriedOut(work: Work): Promise<Outcome> {
  const { run, progress: shown } = work;
  try {
    const outcome = await phases(work);
    run.finish(outcome.after ? { evaluation: outcome.after } : {});
    return outcome;
  } catch (thrown) {
    recordEnd(run, thrown);
    throw thrown;
  } finally {
    shown.end();
  }
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

async function phases(work: Work): Promise<Outcome> {
  const { plan, run, watch } = work;
  plan.teacher.keepReplies(run.languageModelJournal);
  const before = await watch.part('evaluation before', () => evaluateHeldOut(work, 'before'));
  const probes: MetricsLine[] = [];
  const steps = await watch.part('probe', () => expertSteps(work));
  const last = await watch.part('training', () => trainStudent(work, steps, probes));
  const after = await watch.part('evaluation after', () => evaluateHeldOut(work, 'after', last));
  const [firstProbe = null, lastProbe = null] = [probes[0], probes.at(-1)];
  return { before, after, firstProbe, lastProbe };
}

async function evaluateHeldOut(
  work: Work,
  when: 'before' | 'after',
  checkpoint = 'start',
): Promise<EvaluationResult | null> {
  const { plan, progress: shown, signal } = work;
  const { policy, heldOut: games, trainedOn } = plan;
  if (games.length === 0) return null;
  shown.begin(`evaluation ${when}`, games.length);
  const student = when === 'before' ? plan.before : plan.student;
  return evaluateGames({ student, policy, games, trainedOn, checkpoint, progress: shown, signal });
}

/** What the expert does in the training games: the yardstick of training. */
function expertSteps({ plan, texts, progress: shown, signal }: Work): Promise<ProbeStep[]> {
  const { student, settings, values, teacher } = plan;
  shown.begin('expert', plan.games.length);
  return collectProbe({
    ...{ student, texts, maxSteps: settings.maxSteps, random: plan.random.stream('probe') },
    world: trainingWorld(plan),
    expert: stoppable(teacher.expert, signal),
    withRejected: values.phase === 'dpo',
  });
}

function trainingWorld({ games, settings }: TrainingPlan): WorldSource {
  return worldSource(games, { maxSteps: settings.maxSteps, frames: (visible) => renderFrame(visible) });
}

/** Trains; gathers the probe's measures; returns the name of the last checkpoint. */
async function trainStudent(work: Work, steps: readonly ProbeStep[], probes: MetricsLine[]): Promise<string> {
  const { plan, run, texts, progress: shown, signal } = work;
  const { student, settings, values, policy, teacher, model, trainedOn } = plan;
  const log = runLog(run);
  const identity = { baseModel: model.identity, games: trainedOn };
  const keeper = checkpointKeeper(run, probes);
  shown.begin('training', settings.rounds * plan.games.length);
  await train({
    ...{ phase: values.phase, settings, student, texts, signal },
    expert: teacher.expert,
    world: () => trainingWorld(plan),
    gamesInPass: plan.games.length,
    learner: learnerOf(plan, texts, steps),
    random: plan.random.stream('training'),
    studentMemory: values['student-memory'],
    metrics: (line) => run.metrics(line),
    reflect: teacher.reflect,
    report: async (event: ProgressEvent) => {
      if (event.kind === 'probe') probes.push(event.line);
      shown.event(event);
      await log(event);
    },
    checkpoint: (moment) => keeper.keep(checkpointContent(moment, { student, policy, identity })),
  });
  return keeper.last();
}

/** An expert that stops when asked to, also where nobody else looks. */
function stoppable(expert: Expert, signal: AbortSignal): Expert {
  return {
    label: (request) => {
      stopIfAsked(signal);
      return expert.label(request);
    },
  };
}
