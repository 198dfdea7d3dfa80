/** DAgger on a plan's games, from the start or a checkpoint; writes the run. */
import { join } from 'node:path';
import {
  dagger,
  progressOf,
  type DaggerState,
  type MetricsLine,
  type ProgressEvent,
  type StoredCheckpoint,
  type TaskChoice,
} from '@emac/algorithms';
import type { BufferFile } from '@emac/buffers';
import type { Environment } from '@emac/core';
import type { ReplyPosition } from '@emac/expert';
import { failpoint, type Failpoint } from '@emac/files';
import { closingAfter, noReplies, type Closings } from '@emac/opening';
import { episodeTrace, type FileOfPicture } from '@emac/rollout';
import { layout, type CheckpointContent, type Run } from '@emac/runs';
import { trainingAt } from '../checkpoint/training-state.ts';
import { publishedLogs, type PublishedLogs } from '../logs/published-logs-run.ts';
import { runLog } from '../logs/run-log.ts';
import { runTraces } from '../logs/run-traces.ts';
import { tracedPictures } from '../logs/traced-pictures.ts';
import { gameCurriculum } from './game-curriculum.ts';
import { openLearner } from './learner.ts';
import { probeOf } from './probe.ts';
import { learningPolicy, measuresOf } from './sharded-policy.ts';
import type { Work } from './training-workers.ts';

const transitions = `${layout.buffers}/transitions.bin`;

/** Trains; adds the probe's measures to `probes`. Errors: `interrupted` after a checkpoint; those of `dagger`. */
export function trainOnGames(work: Work, probes: MetricsLine[]): Promise<DaggerState> {
  return closingAfter((open) => trained(work, probes, open));
}

async function trained(work: Work, probes: MetricsLine[], open: Closings): Promise<DaggerState> {
  const { plan, run, point, host, times, elsewhere } = work;
  const { student, settings, form, teacher, play, config, language } = plan;
  const resume = point && trainingAt<DaggerState>(point);
  teacher.keepReplies(run.languageModelJournal, resume?.replies ?? noReplies);
  teacher.listen((event) => {
    run.event(event);
    host.listener?.expert?.(event);
  });
  const opened = await play.open(form, { record: join(run.folder, layout.world) });
  open.add(() => opened.close());
  const { environment } = opened;
  const probe = await times.part('probe', () => probeOf(work, environment));
  const keep = point?.run.files[transitions];
  const { learner, file } = openLearner(plan, {
    policy: learningPolicy(work),
    probe,
    path: join(run.folder, transitions),
    keep,
  });
  open.add(() => file.close());
  run.holds(transitions, file);
  const traces = runTraces(work, config);
  const pictures = traces && tracedPictures(run);
  const published =
    language && plan.kind.isReAct ? publishedBy(work, environment, resume?.state ?? null) : null;
  open.add(() => published?.close());
  const choice = gameCurriculum(config.curriculum, environment.tasks);
  beginTraining(work, { state: resume?.state ?? null, choice });
  return times.part('training', () =>
    dagger({
      phase: config.phase,
      settings,
      policy: pictures?.ofPolicy(student) ?? student,
      sampling: plan.acting,
      texts: plan.policy.texts,
      expert: teacher.expert,
      learner,
      environment,
      ...(choice && { choice }),
      random: plan.random.stream('training'),
      parallel: play.seats(plan.parallelTraining),
      elsewhere: elsewhere?.part('training', play),
      policyMemory: config.play.policyMemory,
      memories: plan.memories,
      metrics: measuresOf(work),
      reflect: teacher.reflect,
      report: reporter(work, {
        probes,
        published,
        trace: (event) => traces?.append(traceOf(event, pictures!.fileOf)),
      }),
      checkpoint: checkpointKeeper({
        run,
        buffer: file,
        probes,
        content: plan.content,
        replies: (isExtra) => teacher.position(isExtra),
      }),
      ...(host.signal && { signal: host.signal }),
      ...(resume && { resume }),
    }),
  );
}

/** The logs in published forms. */
function publishedBy({ run, plan, host }: Work, environment: Environment, state: DaggerState | null) {
  const { settings, student, memories } = plan;
  return publishedLogs({
    run,
    get games() {
      return environment.tasks.map(({ id }) => id);
    },
    memories,
    microStepsOf: () => settings.optimization.accumulate,
    episodesPerUpdate: settings.play.episodesPerUpdate,
    policy: student,
    state,
    now: host.now,
  });
}

interface Beginning {
  /** a resumed run's state */
  readonly state: DaggerState | null;
  readonly choice: TaskChoice | null;
}

function beginTraining({ plan, host }: Work, { state, choice }: Beginning): void {
  const { round = 0, done = 0, playing = null } = state ?? {};
  const inRound = choice?.perRound ?? plan.play.arriving ?? plan.play.tasks().length;
  // with a whole list, solved tasks are included too
  const passed = choice ? done : playing ? (playing[done] ?? inRound) : 0;
  host.listener?.begin?.('training', plan.settings.play.rounds * inRound, { done: round * inRound + passed });
}

function reporter(
  { run, plan, host }: Work,
  {
    probes,
    published,
    trace,
  }: {
    readonly probes: MetricsLine[];
    /** null outside ALFWorld, the source of these logs */
    readonly published: PublishedLogs | null;
    readonly trace: (event: EpisodeEnd) => void;
  },
) {
  const log = runLog(run);
  return async (event: ProgressEvent): Promise<void> => {
    // a step's end marks its replies as used; a lesson's only the end of its round
    if (event.kind === 'step') plan.teacher.made(event.taskId);
    if (event.kind === 'probe') probes.push(event.line);
    if (event.kind === 'episode-end') trace(event);
    host.listener?.training?.(event);
    await log(event);
    published?.event(event);
    failpoint(activities[event.kind]);
  };
}

type EpisodeEnd = Extract<ProgressEvent, { readonly kind: 'episode-end' }>;

/** Of a lost episode too: its end says so. */
function traceOf({ trajectory, round, episode, won }: EpisodeEnd, fileOf: FileOfPicture): object {
  return episodeTrace(trajectory, { round, episode, success: won }, fileOf);
}

/** The activity after each event. */
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

interface Kept {
  readonly run: Pick<Run, 'checkpoint'>;
  readonly content: (step: number, moment: StoredCheckpoint, replies: ReplyPosition) => CheckpointContent;
  readonly buffer: Pick<BufferFile, 'save'>;
  /** probe measurements, a growing list */
  readonly probes: readonly MetricsLine[];
  /** replies of the language model that the state of an interruption, or of now, has used */
  readonly replies: (isExtra: boolean) => ReplyPosition;
}

/**
 * Writes checkpoints: the buffer's file first, then the training's and the teacher's state. The best has the lowest loss on the
 * expert's steps, of the measurements since the last checkpoint.
 */
function checkpointKeeper({ run, content, buffer, probes, replies }: Kept) {
  let measured = probes.length;
  return (moment: StoredCheckpoint): void => {
    const { isExtra } = moment;
    const loss = probes.length > measured ? Number(probes.at(-1)!['loss']) : null;
    buffer.save();
    run.checkpoint(content(progressOf(moment.state), moment, replies(isExtra)), { loss, isExtra });
    measured = probes.length;
  };
}
