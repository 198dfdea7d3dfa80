/**
 * DAgger (Ross et al. 2011) as EMMA and EMAC+ use it: the student acts, the expert labels every state the student
 * reaches, and training draws from everything collected so far, after every episode. Between rounds over the same
 * games the failures are reflected on (Reflexion), and the expert reads those lessons in the next round. The loop is
 * the same for imitation and preference learning; they differ in what a `Learner` stores and in its gradient.
 *
 * Departures from the published code: state belongs to a game id, not to a place in a list; won episodes are trained
 * on too (setting `trainAfter`); an unusable label is marked and not imitated (setting `trainOnUnusable`).
 *
 * The state changes only between two awaits, a step, an update or a round at once, so that whatever stops training finds
 * it whole: it is saved as it is and goes on from there to the same bytes.
 */
import { EmacError, type Episode } from '@emac/core';
import type { Learner } from './learner.ts';
import { createAdamW } from './optimizer.ts';
import { lossScaleOf } from './loss-scale.ts';
import { playEpisode } from './play-episode.ts';
import type { MetricsLine } from './progress.ts';
import { newLessons } from './reflections.ts';
import { learningRateAt } from './schedule.ts';
import { stopIfAsked, streamOf, type Running, type TrainingRun } from './training-run.ts';
import {
  addLesson,
  countEpisode,
  emptyTally,
  initialState,
  progressOf,
  resumedState,
  type TrainingState,
} from './training-state.ts';
import { applyUpdate } from './update.ts';

/** Trains the student in place; returns the last state. Throws `interrupted` when the signal fires, after a checkpoint. */
export async function train(run: TrainingRun): Promise<TrainingState> {
  const { phase, settings, student, random, resume, memories } = run;
  const state = resume
    ? resumedState(resume.state, phase, random.path)
    : initialState(phase, random.path, memories);
  const optimizer = createAdamW(student.parameters(), settings, resume?.optimizer);
  const running: Running = { ...run, state, optimizer, saved: progressOf(state) };
  requireSameMoment(run.learner, state);
  try {
    if (!resume) {
      await measureProbe(running);
      await saveCheckpoint(running);
    }
    while (state.round < settings.rounds) {
      await playRound(running);
      await endRound(running);
      await saveCheckpoint(running);
    }
  } catch (thrown) {
    if (leavesStateWhole(thrown) && progressOf(state) !== running.saved)
      await storeCheckpoint(running, { isExtra: true });
    throw thrown;
  }
  return state;
}

/**
 * Every game of the list once, except those solved before; games done before an interruption are passed over. What
 * the last game taught is saved with the end of the round: one moment, one checkpoint.
 */
async function playRound(run: Running): Promise<void> {
  const { state, settings } = run;
  const world = run.world();
  let place = 0;
  let isUnsaved = false;
  for (let episode = await world.next(); episode; episode = await world.next(), place++) {
    if (place < state.gamesDone) {
      await episode.skip();
      continue;
    }
    const { gameId } = episode;
    if (settings.skipSolved && state.solved.includes(gameId) && !state.current) {
      await episode.skip();
      await run.report?.({ kind: 'episode-skipped', round: state.round, place, gameId });
    } else {
      if (isUnsaved) await saveCheckpoint(run);
      await learnFromEpisode(run, episode, place);
      isUnsaved = true;
    }
    state.gamesDone++;
  }
  stopIfAsked(run);
}

/** Plays and stores what was labelled, unless that was done before an interruption; updates. */
async function learnFromEpisode(run: Running, episode: Episode, place: number): Promise<void> {
  const { state } = run;
  state.current ??= { steps: [], updatesLeft: null };
  if (state.current.updatesLeft === null) await collectEpisode(run, episode, place);
  while (state.current.updatesLeft! > 0) await updateOnce(run, episode.gameId);
  state.current = null;
  state.episodes++;
}

async function collectEpisode(run: Running, episode: Episode, place: number): Promise<void> {
  const { state, settings, learner } = run;
  const { gameId } = episode;
  const played = await playEpisode(run, episode, place);
  const learns = settings.trainAfter === 'every-episode' || !played.won;
  const stored = learns ? await learner.store(played.steps, streamOf(run, 'rejected', gameId)) : 0;
  state.appended = learner.appended();
  countEpisode(state, { ...played, gameId, taskType: episode.taskType, maxSteps: settings.maxSteps });
  const updatesLeft = learns && learner.length() > 0 ? settings.updatesPerEpisode : 0;
  state.current = { steps: [], updatesLeft };
  const { won, repeated, history } = played;
  const end = { kind: 'episode-end', round: state.round, episode: state.episodes, place, gameId } as const;
  await run.report?.({ ...end, won, repeated, history, steps: played.steps.length, stored });
}

/** One optimizer update over `accumulate` micro-batches drawn from all samples of all rounds. */
async function updateOnce(run: Running, game: string): Promise<void> {
  const { state, settings, student, learner, optimizer } = run;
  stopIfAsked(run);
  const { batchSize, accumulate, replacement } = settings;
  const random = run.random.stream('samples').stream(state.updates);
  const lossScale = lossScaleOf(settings.lossScaling, state.lossScale);
  const draw = { batchSize, accumulate, replacement, random, lossScale: lossScale?.scale ?? 1 };
  const gradient = await learner.gradient(draw);
  const lr = learningRateAt(settings, updatePosition(run));
  const how = { student, optimizer, settings, lossScale, learningRate: lr, number: state.updates };
  const applied = applyUpdate(gradient, how);
  const update = state.updates++;
  state.microSteps += accumulate;
  state.lossScale = applied.lossScale;
  state.current!.updatesLeft!--;
  await emit(run, 'update', {
    ...{ game, episode: state.episodes, update, lr, ...gradient.measures },
    ...{ ...applied.measures, samples: learner.length() },
  });
}

/** An update happens in the last of its micro-steps, at that one's learning rate. */
function updatePosition({ state, settings, gamesInPass }: Running) {
  const { rounds, gamesPerRound, updatesPerEpisode, accumulate } = settings;
  return {
    round: state.round,
    microStep: state.microSteps + accumulate - 1,
    plannedMicroSteps: rounds * (gamesInPass ?? gamesPerRound) * updatesPerEpisode * accumulate,
  };
}

/** Lessons from this round's failures, the yardstick, the round's line. */
async function endRound(run: Running): Promise<void> {
  const { state, settings } = run;
  // added only when all are there: an interruption finds the round open
  const lessons = await newLessons(run);
  await measureProbe(run);
  for (const { gameId, lesson } of lessons) {
    addLesson(state, gameId, lesson);
    await run.report?.({ kind: 'lesson', round: state.round, gameId, lesson });
  }
  const { played, won, steps, ...labels } = state.tally;
  const means = { success: ratio(won, played), mean_steps: ratio(steps, played) };
  const totals = { solved: state.solved.length, updates: state.updates, samples: run.learner.length() };
  await emit(run, 'round', { played, won, ...means, ...labels, ...totals, max_steps: settings.maxSteps });
  state.round++;
  Object.assign(state, { gamesDone: 0, failures: [], tally: emptyTally() });
}

async function measureProbe(run: Running): Promise<void> {
  const measures = await run.learner.probe();
  if (measures) await emit(run, 'probe', { update: run.state.updates, ...measures });
}

async function emit(
  run: Running,
  kind: MetricsLine['kind'],
  fields: Readonly<Record<string, string | number | null>>,
): Promise<void> {
  const line: MetricsLine = { v: 1, kind, phase: run.phase, round: run.state.round, ...fields };
  await run.metrics(line);
  await run.report?.({ kind: kind === 'round' ? 'round-end' : kind, line });
}

async function saveCheckpoint(run: Running): Promise<void> {
  await storeCheckpoint(run, { isExtra: false });
  stopIfAsked(run);
}

async function storeCheckpoint(run: Running, { isExtra }: { readonly isExtra: boolean }): Promise<void> {
  const { checkpoint, state, optimizer } = run;
  await checkpoint?.({ state: structuredClone(state), optimizer: optimizer.state(), isExtra });
  run.saved = progressOf(state);
}

/** Faults of services and requests to stop; not those of the disk, of the numbers, or of the state itself. */
function leavesStateWhole(thrown: unknown): boolean {
  return !(thrown instanceof EmacError) || ['interrupted', 'unavailable', 'auth'].includes(thrown.code);
}

function requireSameMoment(learner: Learner, state: TrainingState): void {
  if (learner.appended() === state.appended) return;
  const counts = `${learner.appended()} transitions were stored, by the state ${state.appended}`;
  throw new EmacError('data', `training: in the buffer ${counts}, use state and buffer of one checkpoint`);
}

function ratio(part: number, whole: number): number | null {
  return whole > 0 ? part / whole : null;
}
