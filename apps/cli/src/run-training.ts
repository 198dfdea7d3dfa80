/** One phase of training from start to end: evaluate, collect the yardstick, train, evaluate again, say what came of it. */
import { EmacError, messageOf, type Expert } from '@emac/core';
import { createRun, type Run } from '@emac/runs';
import { collectProbe, train, type EvaluationResult, type MetricsLine, type PolicyTexts, type ProgressEvent } from '@emac/trainer';
import { renderFrame, worldSource } from '@emac/world';
import { checkpointContent } from './checkpoint-content.ts';
import { evaluateGames, stopIfAsked } from './held-out.ts';
import { say, type Io } from './io.ts';
import { learnerOf } from './learner.ts';
import { policyTexts } from './policy-texts.ts';
import { progress, type Progress } from './progress.ts';
import { runConfig } from './run-config.ts';
import { runLog } from './run-log.ts';
import { stopwatch, type Stopwatch } from './stopwatch.ts';
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
    const outcome = await carriedOut({ plan, run, texts, progress: shown, watch, signal }, io);
    say(io.stdout, trainingReport({ plan, folder: run.folder, outcome }));
    say(io.stdout, `time: ${watch.summary()}`);
    return 0;
  } finally {
    await plan.dispose();
  }
}

function createPlannedRun(plan: TrainingPlan, { now }: Io): Run {
  const { values, model, teacher } = plan;
  const run = createRun({
    out: values.out,
    phase: values.phase,
    seed: values.seed,
    config: runConfig(plan),
    versions: {
      emac: version,
      node: process.version,
      tensorflow: model.tensorflow.note,
      provider: model.provider,
      model: model.identity,
    },
    now: () => new Date(now()),
  });
  if (values.expert === 'openai') teacher.keepReplies(run.languageModelJournal);
  return run;
}

function introduce({ model, notes, games, settings }: TrainingPlan, run: Run, shown: Progress): void {
  shown.note(`run ${run.folder}`);
  shown.note(`in use: provider ${model.provider}; tfjs ${model.tensorflow.note}`);
  for (const note of notes) shown.note(note);
  shown.note(`games: ${games.length}, in each of ${settings.rounds} rounds`);
}

/** Whatever goes wrong is also said in the run's own record. */
async function carriedOut(work: Work, io: Io): Promise<Outcome> {
  const { run, progress: shown } = work;
  try {
    const outcome = await phases(work);
    run.finish(outcome.after ? { evaluation: outcome.after } : {});
    return outcome;
  } catch (thrown) {
    const isStopped = thrown instanceof EmacError && thrown.code === 'interrupted';
    run.stop(isStopped ? 'interrupted' : 'failed', messageOf(thrown));
    throw thrown;
  } finally {
    shown.end();
    if (io.stderr.isTerminal) shown.end();
  }
}

async function phases(work: Work): Promise<Outcome> {
  const { plan, watch } = work;
  const before = await watch.part('evaluation before', () => evaluateHeldOut(work, 'before'));
  const probes: MetricsLine[] = [];
  const last = await watch.part('training', () => trainStudent(work, probes));
  const after = await watch.part('evaluation after', () => evaluateHeldOut(work, 'after', last));
  const [firstProbe = null, lastProbe = null] = [probes[0], probes.at(-1)];
  void plan;
  return { before, after, firstProbe, lastProbe };
}

async function evaluateHeldOut(work: Work, when: 'before' | 'after', checkpoint = 'start'): Promise<EvaluationResult | null> {
  const { plan, progress: shown, signal } = work;
  const { policy, heldOut: games, trainedOn } = plan;
  if (games.length === 0) return null;
  shown.begin(`evaluation ${when}`, games.length);
  const student = when === 'before' ? plan.before : plan.student;
  return evaluateGames({ student, policy, games, trainedOn, checkpoint, progress: shown, signal });
}

/** Trains; gathers the probe's measures; returns the name of the last checkpoint. */
async function trainStudent(work: Work, probes: MetricsLine[]): Promise<string> {
  const { plan, run, texts, progress: shown, signal } = work;
  const { student, settings, values, policy, teacher, model, trainedOn } = plan;
  const expert = stoppable(teacher.expert, signal);
  const world = () =>
    worldSource(plan.games, { maxSteps: settings.maxSteps, frames: (visible) => renderFrame(visible) });
  const { maxSteps } = settings;
  const random = plan.random.stream('probe');
  const probe = await collectProbe({ ...{ world: world(), expert, student, texts, maxSteps, random }, withRejected: values.phase === 'dpo' });
  const log = runLog(run);
  const identity = { baseModel: model.identity, games: trainedOn };
  const keeper = checkpointKeeper(work, probes);
  shown.begin('training', settings.rounds * plan.games.length);
  await train({
    ...{ phase: values.phase, settings, student, expert, texts, world, signal },
    learner: learnerOf(plan, texts, probe),
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

/** Writes checkpoints; the best is the one with the lowest probe loss. */
function checkpointKeeper({ run }: Work, probes: readonly MetricsLine[]) {
  let lowest = Infinity;
  let measured = 0;
  let last = 0;
  return {
    keep(content: Parameters<Run['checkpoint']>[0]): void {
      run.checkpoint(content);
      last = content.step;
      if (probes.length === measured) return;
      measured = probes.length;
      const loss = Number(probes.at(-1)!['loss']);
      if (loss >= lowest) return;
      lowest = loss;
      run.best(content.step);
    },
    last: () => String(last).padStart(8, '0'),
  };
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
