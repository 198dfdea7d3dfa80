/**
 * DAgger (Ross et al. 2011) as in EMMA and EMAC+: the policy acts, the expert labels every state it reaches, and
 * training draws from all data collected so far. Between rounds over the same tasks, a language model reflects on
 * failures (Reflexion); the expert reads these lessons in the next round. Imitation and preference learning share the
 * loop; they differ in a `Learner`'s stored data and gradient.
 *
 * Departures from the published code: state belongs to a task id, not to a list index. Won episodes are trained on too
 * (`trainAfter`). An unusable label is marked and not imitated (`trainOnUnusable`).
 *
 * The state changes only between two awaits: by a step, an update or a round at once. So it is consistent whenever
 * training stops; it is saved and resumes to the same bytes.
 */
import type { Trajectory } from '@emac/core';
import { expertShareIn, rollout, type Attempt } from '@emac/rollout';
import { begin, saveCheckpoint, savedWhereItStops } from './checkpoints.ts';
import { streamOf, type DaggerRun, type Running } from './dagger-run.ts';
import { addLesson, lessonsOf, type DaggerState } from './dagger-state.ts';
import { emitProbe, emitRound, emitUpdate, reportEnd, reportRollout, reportSkipped } from './metrics.ts';
import { newLessons } from './reflections.ts';
import {
  arranged,
  beginRound,
  chooseGroup,
  endRound,
  groupOf,
  isEnough,
  isRoundOver,
  learningOf,
  requireLabels,
  updatesLeft,
} from './rounds.ts';
import { stopIfAsked } from './run-state.ts';
import { countEpisode, wonByPolicy } from './tally.ts';
import { updateOnce } from './update-once.ts';

/**
 * Trains the policy in place; returns the last state. Errors: `interrupted` after a checkpoint; `check-failed` without
 * any usable label.
 */
export async function dagger(asked: DaggerRun): Promise<DaggerState> {
  const run = begin(asked);
  await savedWhereItStops(run, async () => {
    if (!run.resume) {
      await emitProbe(run);
      await saveCheckpoint(run);
    }
    while (run.state.round < run.settings.play.rounds && !isEnough(run)) {
      await playRound(run);
      await reflect(run);
    }
  });
  requireLabels(run.state);
  return run.state;
}

/** Every task of the round in groups: one version of the policy plays a group, then it learns. */
async function playRound(run: Running): Promise<void> {
  const { state } = run;
  if (beginRound(run) && !run.choice) await reportSkipped(run);
  while (!isRoundOver(state) && !isEnough(run)) {
    if (!(await arranged(run))) break;
    chooseGroup(run);
    state.current ??= { steps: groupOf(run).map(() => []), learning: null, updates: 0 };
    if (state.current.learning === null) await aggregate(run, await act(run));
    while (updatesLeft(run) > 0) await update(run);
    const { length } = state.current.steps;
    Object.assign(state, { current: null, done: state.done + length, episodes: state.episodes + length });
    // the last group is saved with the end of its round, in one checkpoint
    if (!isRoundOver(state) && !isEnough(run)) await saveCheckpoint(run);
  }
  stopIfAsked(run);
}

/** The policy acts, the expert labels: one trajectory for each task of the group. */
function act(run: Running): Promise<Trajectory[]> {
  const { state, settings, environment, policy, expert, texts, sampling, parallel, signal, elsewhere } = run;
  const { expertShare, maxSteps, stopRepeating, admissibleOnly } = settings.play;
  const attempts = groupOf(run).map((place, index): Attempt => {
    const task = environment.tasks[place]!;
    return {
      task,
      number: state.episodes + index,
      random: streamOf(run, 'rollout', task.id),
      memories: lessonsOf(state, task.id),
      expertShare: expertShareIn(expertShare, state.round),
      made: state.current!.steps[index]!,
    };
  });
  const policyMemory = run.policyMemory ?? false;
  const play = {
    environment,
    policy,
    expert,
    texts,
    sampling,
    parallel,
    maxSteps,
    stopRepeating,
    admissibleOnly,
    elsewhere,
  };
  const telling = { report: reportRollout(run), ...(signal && { signal }) };
  return rollout({ ...play, ...telling, policyMemory, asksPolicy: true }, attempts);
}

/** The labelled states join those of all rounds. */
async function aggregate(run: Running, trajectories: readonly Trajectory[]): Promise<void> {
  const { state, settings, learner, choice } = run;
  const learned = trajectories.map((trajectory) => learningOf(trajectory, settings));
  const stored: number[] = [];
  for (const [index, trajectory] of trajectories.entries()) {
    const place = { round: state.round, episode: state.episodes + index };
    const random = streamOf(run, 'rejected', trajectory.task.id);
    stored.push(learned[index] ? await learner.store(trajectory, place, random) : 0);
  }
  for (const trajectory of trajectories) {
    countEpisode(state, trajectory, settings.play.maxSteps);
    if (trajectory.end !== 'lost') choice?.ended(trajectory.task, wonByPolicy(trajectory));
  }
  state.appended = learner.appended();
  state.worldSteps += trajectories.reduce((sum, { steps }) => sum + steps.length, 0);
  const learning = learner.length() > 0 ? [...learned.keys()].filter((index) => learned[index]) : [];
  state.current = { steps: trajectories.map(() => []), learning, updates: 0 };
  await reportEnd(run, trajectories, stored);
}

/** One optimizer update from samples of all rounds. */
async function update(run: Running): Promise<void> {
  stopIfAsked(run);
  const made = await updateOnce(run);
  run.state.current!.updates++;
  await emitUpdate(run, made);
}

/** Lessons from this round's failures for the next round; the probe; the round's metrics line. */
async function reflect(run: Running): Promise<void> {
  // added only when all are there: an interruption finds the round open
  const lessons = await newLessons(run);
  await emitProbe(run);
  for (const { taskId, lesson } of lessons) {
    addLesson(run.state, taskId, lesson);
    await run.report?.({ kind: 'lesson', round: run.state.round, taskId, lesson });
  }
  await emitRound(run);
  endRound(run.state);
  await saveCheckpoint(run);
}
