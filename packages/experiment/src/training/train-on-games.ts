/** The training of one phase, from its beginning or from where a checkpoint left it, written into its run. */
import { join } from 'node:path';
import type { Expert } from '@emac/core';
import { failpoint, type Failpoint, type FilePart } from '@emac/files';
import { layout, type ResumePoint, type Run } from '@emac/runs';
import {
  collectProbe,
  train,
  type MetricsLine,
  type PolicyTexts,
  type ProbeStep,
  type ProgressEvent,
  type TrainingCheckpoint,
  type TrainingState,
} from '@emac/trainer';
import { checkpointKeeper } from './checkpoint-keeper.ts';
import { gamesWorld } from './games-world.ts';
import { stopIfAsked } from './held-out.ts';
import { openLearner } from './learner.ts';
import { trainOnDataset } from './offline-training.ts';
import { publishedLogs } from './published-logs-run.ts';
import { readProbe, writeProbe } from './probe-file.ts';
import type { Progress } from './progress.ts';
import { noReplies, type ReplyPosition } from './reply-journal.ts';
import { runLog } from './run-log.ts';
import type { Stopwatch } from './stopwatch.ts';
import type { TrainingPlan } from './training-plan.ts';

/** What a phase is carried out with. */
export interface Work {
  readonly plan: TrainingPlan;
  readonly run: Run;
  /** where the run goes on; null at its beginning */
  readonly point: ResumePoint | null;
  readonly texts: PolicyTexts;
  readonly progress: Progress;
  readonly watch: Stopwatch;
  readonly signal: AbortSignal;
  /** milliseconds, for logs */
  readonly now: () => number;
}

const files = { transitions: `${layout.buffers}/transitions.bin`, probe: `${layout.buffers}/probe.bin` };

/** Trains; adds the yardstick's measures to `probes`. Errors: `interrupted` after a checkpoint. */
export async function trainStudent(work: Work, probes: MetricsLine[]): Promise<void> {
  if (work.plan.offline) return trainOnDataset(work, probes);
  const { plan, run, point, texts, progress: shown, watch, signal } = work;
  const { student, settings, values, policy, teacher, model, trainedOn, visionNorm } = plan;
  const resume = point && trainingAt(point);
  teacher.keepReplies(run.languageModelJournal, resume?.replies ?? noReplies);
  teacher.listen((event) => {
    run.event(event);
    shown.expert(event);
  });
  const probe = await watch.part('probe', () => expertSteps(work));
  const path = join(run.folder, files.transitions);
  const keep = point?.run.files[files.transitions];
  const { learner, file } = openLearner(plan, { texts, probe, path, keep });
  run.holds(files.transitions, file);
  let replies = teacher.position();
  const keepCheckpoint = checkpointKeeper({
    ...{ run, buffer: file, probes },
    trained: { student, policy, identity: { baseModel: model.identity, games: trainedOn }, visionNorm },
    replies: (isExtra) => (isExtra ? replies : teacher.position()),
  });
  const log = runLog(run);
  const published = publishedLogs({
    ...{ run, games: plan.games.map(({ id }) => id), memories: plan.memories },
    ...{ accumulate: settings.accumulate, student },
    ...{ state: resume?.checkpoint.state ?? null, now: work.now },
  });
  const { round = 0, gamesDone = 0 } = resume?.checkpoint.state ?? {};
  shown.begin('training', settings.rounds * plan.games.length, {
    done: round * plan.games.length + gamesDone,
  });
  await watch.part('training', () =>
    train({
      ...{ phase: values.phase, settings, student, texts, signal, learner, memories: plan.memories },
      expert: teacher.expert,
      world: () => gamesWorld(plan.games, policy),
      gamesInPass: plan.games.length,
      random: plan.random.stream('training'),
      studentMemory: values['student-memory'],
      metrics: (line) => run.metrics(line),
      reflect: teacher.reflect,
      report: async (event: ProgressEvent) => {
        // a step that was made counts what was asked for it; a lesson only counts with the end of its round
        if (event.kind === 'step') replies = teacher.position();
        if (event.kind === 'probe') probes.push(event.line);
        shown.event(event);
        await log(event);
        published.event(event);
        failpoint(activities[event.kind]);
      },
      checkpoint: keepCheckpoint,
      ...(resume && { resume: resume.checkpoint }),
    }),
  );
  file.close();
  published.close();
}

/** What is done after an event was told. */
const activities: Readonly<Record<ProgressEvent['kind'], Failpoint>> = {
  'episode-start': 'acting',
  'episode-skipped': 'acting',
  step: 'acting',
  'episode-end': 'updating',
  update: 'updating',
  reflecting: 'reflecting',
  'reflection-failed': 'reflecting',
  lesson: 'reflecting',
  probe: 'measuring',
  'round-end': 'measuring',
};

function trainingAt({ checkpoint }: ResumePoint): {
  readonly checkpoint: TrainingCheckpoint;
  readonly replies: ReplyPosition;
} {
  const { training, optimizer, replies } = checkpoint.state as {
    readonly training: TrainingState;
    readonly optimizer: { readonly step: number };
    readonly replies: ReplyPosition;
  };
  const tensors = checkpoint.optimizer!;
  return { checkpoint: { state: training, optimizer: { step: optimizer.step, tensors } }, replies };
}

/** What the expert does in the training games: the yardstick of training. */
async function expertSteps(work: Work): Promise<readonly ProbeStep[]> {
  const { run, point } = work;
  const path = join(run.folder, files.probe);
  const part: Required<FilePart> | undefined = point?.run.files[files.probe];
  if (part) {
    const { steps, file } = readProbe(path, part);
    run.holds(files.probe, file);
    return steps;
  }
  const steps = await playExpert(work);
  run.holds(files.probe, writeProbe(path, steps));
  return steps;
}

function playExpert({ plan, texts, progress: shown, signal }: Work): Promise<ProbeStep[]> {
  const { student, settings, values, teacher } = plan;
  shown.begin('expert', plan.games.length);
  return collectProbe({
    ...{ student, texts, maxSteps: settings.maxSteps, random: plan.random.stream('probe') },
    world: gamesWorld(plan.games, plan.policy),
    expert: stoppable(teacher.expert, signal),
    withRejected: values.phase === 'dpo',
  });
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
