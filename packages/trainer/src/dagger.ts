/**
 * DAgger (Ross et al. 2011) as EMMA and EMAC+ use it: the student acts, the expert labels every state the student
 * reaches, and training draws from everything collected so far, after every episode. Between rounds over the same
 * games the failures are reflected on (Reflexion), and the expert reads those lessons in the next round. The loop is
 * the same for imitation and preference learning; they differ in what a `Learner` stores and in its gradient.
 *
 * Departures from the published code: state belongs to a game id, not to a place in a list; won episodes are trained
 * on too (setting `trainAfter`); an unusable label is marked and not imitated (setting `trainOnUnusable`).
 *
 * Over 300 lines on purpose: the whole loop is read top to bottom on one page.
 */
import {
  EmacError,
  type Episode,
  type Expert,
  type Frame,
  type History,
  type Label,
  type Random,
  type Student,
  type Turn,
  type WorldSource,
} from '@emac/core';
import type { Learner } from './learner.ts';
import { clipGradients, createAdamW, type Optimizer } from './optimizer.ts';
import type { MetricsLine, ProgressEvent } from './progress.ts';
import { repeatsItself } from './repetition.ts';
import { learningRateAt } from './schedule.ts';
import type { LabelledStep } from './select-steps.ts';
import type { Phase, TrainingSettings } from './settings.ts';
import { noFrame, type PolicyTexts } from './texts.ts';
import {
  addLesson,
  countEpisode,
  emptyTally,
  initialState,
  lessonsOf,
  resumedState,
  type FailedEpisode,
  type TrainingCheckpoint,
  type TrainingState,
} from './training-state.ts';

export interface TrainingRun {
  readonly phase: Phase;
  readonly settings: TrainingSettings;
  readonly student: Student;
  readonly expert: Expert;
  readonly learner: Learner;
  readonly texts: PolicyTexts;
  /** a fresh pass over the run's fixed list of games; called once for each round */
  readonly world: () => WorldSource;
  readonly random: Random;
  /** lessons from failed attempts are also shown to the student */
  readonly studentMemory?: boolean;
  readonly metrics: (line: MetricsLine) => void | Promise<void>;
  readonly report?: (event: ProgressEvent) => void | Promise<void>;
  /** a lesson from a failed attempt, or null for none */
  readonly reflect?: (
    failure: FailedEpisode & { readonly lessons: readonly string[] },
  ) => Promise<string | null>;
  /** games in a pass of `world`, for the plan of learning rates; `settings.gamesPerRound` where nothing is said */
  readonly gamesInPass?: number;
  /** called before the first episode, before every later one of a round, and after every round */
  readonly checkpoint?: (checkpoint: TrainingCheckpoint) => void | Promise<void>;
  /** where to go on; student parameters and buffer must be those of the same moment */
  readonly resume?: TrainingCheckpoint;
  readonly signal?: AbortSignal;
}

/** A run with what it changes as it goes. */
interface Running extends TrainingRun {
  readonly state: TrainingState;
  readonly optimizer: Optimizer;
}

interface PlayedEpisode {
  readonly steps: readonly LabelledStep[];
  readonly history: History;
  readonly won: boolean;
  readonly repeated: boolean;
}

/** Trains the student in place; returns the last state. Throws `interrupted` when the signal fires. */
export async function train(run: TrainingRun): Promise<TrainingState> {
  const { phase, settings, student, random, resume } = run;
  const state = resume ? resumedState(resume.state, phase, random.path) : initialState(phase, random.path);
  const optimizer = createAdamW(student.parameters(), settings, resume?.optimizer);
  const running: Running = { ...run, state, optimizer };
  requireSameMoment(run.learner, state);
  if (!resume) {
    await measureProbe(running);
    await saveCheckpoint(running);
  }
  while (state.round < settings.rounds) {
    await playRound(running);
    await endRound(running);
    await saveCheckpoint(running);
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
    if (settings.skipSolved && state.solved.includes(gameId)) {
      await episode.skip();
      await run.report?.({ kind: 'episode-skipped', round: state.round, place, gameId });
    } else {
      if (isUnsaved) await saveCheckpoint(run);
      await learnFromEpisode(run, episode, place);
      isUnsaved = true;
    }
    state.gamesDone++;
  }
  if (run.signal?.aborted) await saveCheckpoint(run);
}

/** Plays, stores what was labelled, updates. */
async function learnFromEpisode(run: Running, episode: Episode, place: number): Promise<void> {
  const { state, settings, learner } = run;
  const { gameId } = episode;
  const played = await playEpisode(run, episode, place);
  const learns = settings.trainAfter === 'every-episode' || !played.won;
  const stored = learns ? await learner.store(played.steps, streamOf(run, 'rejected', gameId)) : 0;
  state.appended = learner.appended();
  countEpisode(state, { ...played, gameId, taskType: episode.taskType, maxSteps: settings.maxSteps });
  const { won, repeated, history } = played;
  const end = { kind: 'episode-end', round: state.round, place, gameId } as const;
  await run.report?.({ ...end, won, repeated, history, steps: played.steps.length, stored });
  if (learns && learner.length() > 0)
    for (let update = 0; update < settings.updatesPerEpisode; update++) await updateOnce(run, gameId);
  state.episodes++;
}

/** The student acts in the world, the expert says at every state what it would have done. */
async function playEpisode(run: Running, episode: Episode, place: number): Promise<PlayedEpisode> {
  const { state, settings } = run;
  const { gameId, taskType, observation } = episode;
  const mixing = streamOf(run, 'mixture', gameId);
  const turns: Turn[] = [];
  const steps: LabelledStep[] = [];
  let { frame, admissible } = episode;
  let [won, done, repeated] = [false, false, false];
  await run.report?.({
    ...{ kind: 'episode-start', round: state.round, place, gameId, taskType, observation },
    ...(frame && { frame }),
  });
  while (!done && !repeated && steps.length < settings.maxSteps) {
    stopIfAsked(run);
    const history = { initial: observation, turns: [...turns] };
    const decision = await decide(run, { episode, history, frame, admissible });
    const command = expertActs(run, mixing) ? (decision.label ?? decision.own) : decision.own;
    const answer = await episode.step(command);
    turns.push({ command, observation: answer.observation });
    const where = { gameId, round: state.round, episode: state.episodes, index: steps.length };
    const step = { ...where, ...decision, command, observation: answer.observation };
    steps.push({ ...step, ...(admissible && { admissible }) });
    await reportStep(run, step, { place, frame: answer.frame });
    ({ frame, admissible, won, done } = answer);
    repeated = settings.stopRepeating && !done && repeatsItself(turns.map((turn) => turn.command));
    state.worldSteps++;
  }
  await episode.skip();
  return { steps, history: { initial: observation, turns }, won, repeated };
}

interface Situation {
  readonly episode: Episode;
  readonly history: History;
  readonly frame: Frame | undefined;
  readonly admissible: readonly string[] | undefined;
}

/** Asks student and expert at the same time. */
async function decide(run: Running, { episode, history, frame, admissible }: Situation) {
  const { student, expert, texts, state } = run;
  const { gameId, taskType } = episode;
  const memories = lessonsOf(state, gameId);
  const text = texts.prompt(history, run.studentMemory ? memories : []);
  const features = await student.features(frame ?? noFrame);
  const [answer, label] = await Promise.all([
    student.act(text, features),
    expert.label({ gameId, taskType, history, memories, ...(admissible && { admissible }) }),
  ]);
  return { text, features, own: texts.command(answer), ...labelOf(label) };
}

function labelOf(label: Label): { label: string } | { label: null; reason: string } {
  return label.kind === 'action' ? { label: label.command } : { label: null, reason: label.reason };
}

/** Whether the expert's command goes to the world; for `mixture` with probability βᵢ = mixtureⁱ in round i. */
function expertActs({ settings, state }: Running, mixing: Random): boolean {
  if (settings.actWith === 'mixture') return mixing.uniform() < settings.mixture ** state.round;
  return settings.actWith === 'expert';
}

/** One optimizer update over `accumulate` micro-batches drawn from all samples of all rounds. */
async function updateOnce(run: Running, game: string): Promise<void> {
  const { state, settings, student, learner, optimizer } = run;
  stopIfAsked(run);
  const { batchSize, accumulate } = settings;
  const random = run.random.stream('samples').stream(state.updates);
  const { gradients, measures } = await learner.gradient({ batchSize, accumulate, random });
  const gradientNorm = clipGradients(gradients, settings.clipNorm);
  requireFinite(measures.loss, gradientNorm, state.updates);
  const lr = learningRateAt(settings, updatePosition(run));
  optimizer.step(gradients, lr);
  student.commit();
  await emit(run, 'update', {
    ...{ game, episode: state.episodes, update: state.updates, lr, ...measures },
    ...{ gradient_norm: gradientNorm, samples: learner.length() },
  });
  state.updates++;
  state.microSteps += accumulate;
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
  for (const { gameId, lesson } of await newLessons(run)) {
    addLesson(state, gameId, lesson);
    await run.report?.({ kind: 'lesson', round: state.round, gameId, lesson });
  }
  await measureProbe(run);
  const { played, won, steps, ...labels } = state.tally;
  const means = { success: ratio(won, played), mean_steps: ratio(steps, played) };
  const totals = { solved: state.solved.length, updates: state.updates, samples: run.learner.length() };
  await emit(run, 'round', { played, won, ...means, ...labels, ...totals, max_steps: settings.maxSteps });
  state.round++;
  Object.assign(state, { gamesDone: 0, failures: [], tally: emptyTally() });
}

/** Added to the state only when all are there: if one cannot be had, the state of the last game is saved. */
async function newLessons(run: Running) {
  const { state, reflect } = run;
  const lessons: { readonly gameId: string; readonly lesson: string }[] = [];
  try {
    for (const failure of reflect ? state.failures : []) {
      stopIfAsked(run);
      const { gameId } = failure;
      const lesson = await reflect!({ ...failure, lessons: lessonsOf(state, gameId) });
      if (lesson !== null) lessons.push({ gameId, lesson });
    }
  } catch (thrown) {
    await storeCheckpoint(run);
    throw thrown;
  }
  return lessons;
}

async function measureProbe(run: Running): Promise<void> {
  const measures = await run.learner.probe();
  if (measures) await emit(run, 'probe', { update: run.state.updates, ...measures });
}

async function reportStep(
  run: Running,
  step: LabelledStep,
  { place, frame }: { readonly place: number; readonly frame: Frame | undefined },
): Promise<void> {
  const { gameId, round, index, own, label, reason, command, observation } = step;
  await run.report?.({
    ...{ kind: 'step', round, place, gameId, index, own, label, command, observation },
    ...(reason !== undefined && { reason }),
    ...(frame && { frame }),
  });
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
  await storeCheckpoint(run);
  stopIfAsked(run);
}

async function storeCheckpoint({ checkpoint, state, optimizer }: Running): Promise<void> {
  await checkpoint?.({ state: structuredClone(state), optimizer: optimizer.state() });
}

/** Named by its place in the run, so that going on after an interruption draws the same numbers. */
function streamOf({ random, state }: Running, name: string, gameId: string): Random {
  return random.stream(name).stream(state.round).stream(gameId);
}

function stopIfAsked({ signal }: Running): void {
  if (signal?.aborted)
    throw new EmacError('interrupted', 'training: stopped on request, go on from the last checkpoint');
}

function requireSameMoment(learner: Learner, state: TrainingState): void {
  if (learner.appended() === state.appended) return;
  const counts = `${learner.appended()} transitions were stored, by the state ${state.appended}`;
  throw new EmacError('data', `training: in the buffer ${counts}, use state and buffer of one checkpoint`);
}

function requireFinite(loss: number, gradientNorm: number, update: number): void {
  if (Number.isFinite(loss) && Number.isFinite(gradientNorm)) return;
  throw new EmacError(
    'check-failed',
    `training: update ${update} has loss ${loss} and gradient norm ${gradientNorm}, lower the learning rate`,
  );
}

function ratio(part: number, whole: number): number | null {
  return whole > 0 ? part / whole : null;
}
