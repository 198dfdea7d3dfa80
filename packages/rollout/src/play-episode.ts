/**
 * One episode: the student acts in the world, and the expert says at every state what it would have done. Steps that
 * were made before an interruption are made again with what was said then: the world is where it was.
 */
import { EmacError, type Episode, type Frame, type History, type Label, type Turn } from '@emac/core';
import { allowedAnswers } from './allowed-answers.ts';
import { repeatsItself } from './repetition.ts';
import type { LabelledStep } from './select-steps.ts';
import { noFrame } from './texts.ts';
import { expertHistory } from './thoughts.ts';
import { stopIfAsked, streamOf, type Acting } from './training-run.ts';
import { lessonsOf, type StoredStep } from './training-state.ts';

export interface PlayedEpisode {
  readonly steps: readonly LabelledStep[];
  readonly history: History;
  readonly won: boolean;
  readonly repeated: boolean;
}

/** Plays until it is won, given up or goes in circles. Errors: `interrupted`; `data` from a world that changed. */
export async function playEpisode(run: Acting, episode: Episode, place: number): Promise<PlayedEpisode> {
  const { state, settings } = run;
  const { gameId, taskType, observation } = episode;
  const { episodes: number, round } = state;
  const before = state.current!.steps;
  const turns: Turn[] = [];
  const steps: LabelledStep[] = [];
  let { frame, admissible } = episode;
  let [won, done, repeated] = [false, false, false];
  await run.report?.({
    ...{ kind: 'episode-start', round, episode: number, place, gameId, taskType, observation },
    ...(frame && { frame }),
  });
  while (!done && !repeated && steps.length < settings.maxSteps) {
    const index = steps.length;
    const said = before[index];
    if (!said) stopIfAsked(run);
    const history = { initial: observation, turns: [...turns] };
    const known = expertHistory(observation, steps);
    const decision = await decide(run, { episode, history, known, frame, admissible, said });
    const command = said?.command ?? commandFor(run, { gameId, index, ...decision });
    const answer = await episode.step(command);
    if (said) requireSameAnswer(gameId, said, answer.observation);
    const where = { gameId, round, episode: number, index };
    const step = { ...where, ...decision, command, observation: answer.observation };
    turns.push({ command, observation: answer.observation });
    steps.push({ ...step, ...(admissible && { admissible }) });
    if (!said) {
      before.push(storedStep(step));
      state.worldSteps++;
    }
    ({ admissible, won, done } = answer);
    frame = answer.frame;
    repeated = settings.stopRepeating && !done && repeatsItself(turns.map((turn) => turn.command));
    await reportStep(run, step, { place, frame });
  }
  await episode.skip();
  return { steps, history: { initial: observation, turns }, won, repeated };
}

interface Situation {
  readonly episode: Episode;
  readonly history: History;
  /** the history with the expert's thoughts */
  readonly known: History;
  readonly frame: Frame | undefined;
  readonly admissible: readonly string[] | undefined;
  /** what was said here before an interruption */
  readonly said: StoredStep | undefined;
}

/** Asks student and expert at the same time. */
async function decide(run: Acting, { episode, history, known, frame, admissible, said }: Situation) {
  const { student, expert, texts, state, settings } = run;
  const { gameId, taskType } = episode;
  const memories = lessonsOf(state, gameId);
  const text = texts.prompt(history, run.studentMemory ? memories : []);
  const features = await student.features(frame ?? noFrame);
  if (said) return { text, features, own: said.own, ...saidBy(said) };
  const [acting, labelling] = await Promise.allSettled([
    student.act(text, features, allowedAnswers(admissible, { texts, ...settings })),
    expert.label({ gameId, taskType, history: known, memories, ...(admissible && { admissible }) }),
  ]);
  const [answer, label] = [settled(acting), settled(labelling)];
  return { text, features, own: texts.command(answer), ...labelOf(label) };
}

/** A fault is thrown when nothing is under way any more: a student must not be closed while it works. */
function settled<T>(outcome: PromiseSettledResult<T>): T {
  if (outcome.status === 'rejected') throw outcome.reason;
  return outcome.value;
}

type SaidByExpert = Pick<LabelledStep, 'label' | 'reason' | 'thoughts'>;

function labelOf(label: Label): SaidByExpert {
  if (label.kind === 'unusable') return { label: null, reason: label.reason };
  const { command, thoughts } = label;
  return { label: command, ...(thoughts && { thoughts }) };
}

/** The expert's or the student's command; with `mixture` the expert's with probability P·Dʳ in round r. */
function commandFor(
  run: Acting,
  { gameId, index, own, label }: Pick<LabelledStep, 'gameId' | 'index' | 'own' | 'label'>,
): string {
  const { settings, state } = run;
  const { actWith, expertProbability, expertDecay } = settings;
  const draw = () => streamOf(run, 'mixture', gameId).stream(index).uniform();
  const expertActs =
    actWith === 'mixture' ? draw() < expertProbability * expertDecay ** state.round : actWith === 'expert';
  return expertActs ? (label ?? own) : own;
}

async function reportStep(
  run: Acting,
  step: LabelledStep,
  { place, frame }: { readonly place: number; readonly frame: Frame | undefined },
): Promise<void> {
  const { gameId, round, index, own, command, observation } = step;
  await run.report?.({
    ...{ kind: 'step', round, place, gameId, index, own, ...saidBy(step), command, observation },
    ...(frame && { frame }),
  });
}

function storedStep(step: LabelledStep): StoredStep {
  const { own, command, observation } = step;
  return { own, command, observation, ...saidBy(step) };
}

function saidBy({ label, reason, thoughts }: SaidByExpert): SaidByExpert {
  return { label, ...(reason !== undefined && { reason }), ...(thoughts && { thoughts }) };
}

function requireSameAnswer(gameId: string, { command, observation }: StoredStep, found: string): void {
  if (found === observation) return;
  const answers = `${JSON.stringify(observation)} before the interruption and ${JSON.stringify(found)} now`;
  throw new EmacError('data', `training: ${gameId} answered "${command}" with ${answers}; begin a new run`);
}
