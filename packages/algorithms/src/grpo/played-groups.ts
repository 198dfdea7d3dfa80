/**
 * Attempts that are whole episodes: G per task in any environment, beginning alike. Each answer is a step of the
 * attempt, even if it names no action; the environment's return is the attempt's reward.
 */
import {
  EmacError,
  invariant,
  type Environment,
  type EpisodeMoment,
  type ParameterSet,
  type Task,
  type TaskSource,
  type Trajectory,
  type TrajectoryStep,
} from '@emac/core';
import {
  groupsOf,
  rolloutGroups,
  type AttemptGroup,
  type Elsewhere,
  type GroupSizes,
  type Rollout,
} from '@emac/rollout';
import { creditsSteps } from './grpo-settings.ts';
import { askedAhead, type Asking, type Coming } from '../ahead.ts';
import { temperatureOf } from '../shared-settings.ts';
import { streamOfDraw, withRedraws, type Draw } from './redraws.ts';
import {
  requireLengths,
  requireTasks,
  taskOfGroup,
  type ActingRun,
  type AttemptGroups,
  type AttemptSource,
  type RewardedAttempt,
  type SaidStep,
} from './attempts.ts';

/** An episode's reward: the undiscounted return, success alone, by default 1 and 0, or a function of one's own. */
export type PlayedReward = 'return' | 'success' | { readonly won: number; readonly lost: number } | OwnReward;

/** A number, paid with the last step, or a list with one for each step. */
export type OwnReward = (attempt: EndedAttempt) => number | readonly number[];

/** An attempt that has ended. */
export interface EndedAttempt {
  readonly task: Task;
  readonly won: boolean;
  readonly steps: readonly RewardedStep[];
}

export interface RewardedStep {
  /** the text before the step */
  readonly observation: string;
  /** the policy's whole answer */
  readonly answer: string;
  /** the action that it names; null if it names none */
  readonly action: string | null;
  /** whether the environment accepts that action; where it cannot say, any action counts */
  readonly isValid: boolean;
  /** the text after the step */
  readonly next: string;
  /** the environment's reward */
  readonly reward: number;
}

/** Plays the attempts of an update in other processes, with these policy parameters. */
export type AttemptsElsewhere = (asked: AskedAttempts, asking: Asking) => Elsewhere;

export interface AskedAttempts {
  readonly update: number;
  /** 0, or the redraw of groups without spread, at most as many groups as before */
  readonly draw: number;
  readonly parameters: ParameterSet;
}

export interface Playing extends Pick<Rollout, 'texts' | 'maxSteps' | 'parallel' | 'report'> {
  /** a list, passed over repeatedly, or endless tasks, drawn by number */
  readonly tasks: TaskSource;
  /** Where the tasks are attempted; any number of episodes are under way in it. */
  readonly environment: Pick<Environment, 'begin'>;
  /** default `return` */
  readonly reward?: PlayedReward;
  /** as in a rollout; default false */
  readonly stopRepeating?: boolean;
  /** the policy chooses among the commands that the environment accepts, and is trained on the probabilities of that choice; default false */
  readonly admissibleOnly?: boolean;
  /** cost of an answer that names no action the environment accepts, at least 0; default 0 */
  readonly invalidCost?: number;
  /** names the state at a moment, where steps are compared; default: what the policy sees of it */
  readonly anchor?: ((moment: EpisodeMoment) => string) | undefined;
  /** absent: attempts are played here */
  readonly elsewhere?: AttemptsElsewhere | undefined;
}

export interface PlayedAttempt extends RewardedAttempt {
  readonly trajectory: Trajectory;
  /** the environment's, undiscounted, whatever the reward */
  readonly return: number;
}

/**
 * Whole episodes as attempts. An attempt's number, in events, counts over the run. Errors: `usage` without tasks; while
 * playing, those of `rollout` and `elsewhere`, and `unavailable` for a lost episode, after all work has ended.
 */
export function playedGroups(playing: Playing): AttemptSource<PlayedAttempt> {
  requireTasks(playing.tasks.count);
  return { begin: (run) => beginPlaying(playing, run), measures: playedMeasures };
}

function beginPlaying(playing: Playing, run: ActingRun): Coming<AttemptGroups<PlayedAttempt>> {
  const { versions, state, settings } = run;
  const { elsewhere } = playing;
  if (!elsewhere) {
    const next = async (): Promise<AttemptGroups<PlayedAttempt>> => {
      const { update } = state;
      const version = versions.playing(update);
      return withRedraws(settings, async (draw) => {
        const played = await versions.under(version, () => playedIn(playing, run, { update, ...draw }));
        return attemptsOf(playing, run, { update, version, played });
      });
    };
    return { next, stop: async () => {} };
  }
  return askedAhead({
    versions,
    updates: settings.play.updates,
    made: () => state.update,
    isChain: false,
    ask: async (update, _before, asking) => {
      const version = versions.playing(update);
      const parameters = versions.at(version);
      const signal = run.signal ? AbortSignal.any([run.signal, asking.signal]) : asking.signal;
      return withRedraws(settings, async (asked) => {
        const others = elsewhere({ update, draw: asked.draw, parameters }, asking);
        const played = await playedIn(playing, run, { update, ...asked, elsewhere: others, signal });
        return attemptsOf(playing, run, { update, version, played });
      });
    },
  });
}

interface PlayedUpdate extends Draw {
  readonly update: number;
  readonly elsewhere?: Elsewhere;
  readonly signal?: AbortSignal;
}

/** The trajectories of a draw, group after group. */
function playedIn(
  {
    tasks,
    reward: _reward,
    invalidCost: _invalidCost,
    anchor: _anchor,
    elsewhere: _elsewhere,
    ...playing
  }: Playing,
  { policy, settings, random, signal }: ActingRun,
  { update, draw, places, ...own }: PlayedUpdate,
): Promise<Trajectory[]> {
  const { updates, promptsPerUpdate, groupSize, together = null } = settings.play;
  const draws = streamOfDraw(random.stream('attempts').stream(update), draw);
  const groups = places.map((place): AttemptGroup => {
    const turn = update * promptsPerUpdate + place;
    const number = taskOfGroup({ count: tasks.count, turn, random }, draw);
    return { task: tasks.at(number), random: draws.stream(place) };
  });
  const setup: Rollout = {
    stopRepeating: false,
    admissibleOnly: false,
    ...playing,
    policy,
    sampling: {
      kind: 'sample',
      temperature: temperatureOf(settings.play, update, updates),
      topP: 1,
      ...(playing.admissibleOnly && { over: 'allowed' }),
    },
    expert: null,
    asksPolicy: true,
    policyMemory: false,
    ...(signal && { signal }),
    ...own,
  };
  return playedTogether(setup, groups, {
    together,
    groupSize,
    firstNumber: update * promptsPerUpdate * groupSize,
  });
}

/**
 * Plays groups of tasks that share batches one after another, as worker jobs do; all at once if workers play, since
 * they order their own.
 */
async function playedTogether(
  setup: Rollout,
  groups: readonly AttemptGroup[],
  { together, groupSize, firstNumber }: GroupSizes & { readonly together: number | null },
): Promise<Trajectory[]> {
  const played: Trajectory[] = [];
  const some = setup.elsewhere ? null : together;
  for (const { first, end } of groupsOf(groups.length, some)) {
    const sizes = { groupSize, firstNumber: firstNumber + first * groupSize };
    played.push(...(await rolloutGroups(setup, groups.slice(first, end), sizes)));
  }
  return played;
}

interface PlayedGroups {
  readonly update: number;
  readonly version: number;
  readonly played: readonly Trajectory[];
}

function attemptsOf(
  playing: Playing,
  { settings }: ActingRun,
  { update, version, played }: PlayedGroups,
): AttemptGroups<PlayedAttempt> {
  const { reward = 'return' } = playing;
  const { groupSize, updates } = settings.play;
  const temperature = temperatureOf(settings.play, update, updates);
  requireNoneLost(played, update);
  const attempts = played.map((trajectory): PlayedAttempt => {
    const anchors = creditsSteps(settings.losses) ? anchorsOf(trajectory, playing.anchor) : null;
    const paid = paidBy(reward, trajectory);
    const steps = trajectory.steps.map((step, index) => {
      const said = saidStep(step, playing, temperature);
      const own = paid[index]! + (said.penalty ?? 0);
      return { ...said, reward: own, ...(anchors && { anchor: anchors[index]! }) };
    });
    const earned = trajectory.steps.reduce((sum, { result }) => sum + result.reward, 0);
    const rewards = {
      [nameOf(reward)]: paid.reduce((sum, each) => sum + each, 0),
      penalty: steps.reduce((sum, { penalty = 0 }) => sum + penalty, 0),
    };
    return {
      trajectory,
      return: earned,
      steps,
      rewards,
      reward: Object.values(rewards).reduce((sum, value) => sum + value, 0),
    };
  });
  requireLengths(
    attempts.flatMap(({ steps }) => steps.map(({ answer }) => answer)),
    settings.losses.maxLength,
  );
  return { update, version, attempts, groupSize };
}

/** A lost episode says nothing about the policy: its group must be played again. */
function requireNoneLost(played: readonly Trajectory[], update: number): void {
  const lost = played.find(({ end }) => end === 'lost');
  if (!lost) return;
  throw new EmacError(
    'unavailable',
    `update ${update}: the environment lost an episode of ${lost.task.id}: ${lost.fault}; resume the run, which plays this update again`,
  );
}

/** In metrics. */
function nameOf(reward: PlayedReward): string {
  if (typeof reward === 'function') return 'own';
  return reward === 'return' ? 'return' : 'success';
}

/** What each step pays. */
function paidBy(reward: PlayedReward, trajectory: Trajectory): readonly number[] {
  const { steps, won } = trajectory;
  if (reward === 'return') return steps.map(({ result }) => result.reward);
  const atEnd = (worth: number) => steps.map((_, index) => (index === steps.length - 1 ? worth : 0));
  if (typeof reward === 'function') {
    const found = reward(endedAttempt(trajectory));
    return typeof found === 'number' ? atEnd(found) : found;
  }
  const worth = reward === 'success' ? { won: 1, lost: 0 } : reward;
  return atEnd(won ? worth.won : worth.lost);
}

function endedAttempt({ task, won, steps }: Trajectory): EndedAttempt {
  const played = steps.map((step): RewardedStep => {
    const { observation, answer, own, result } = step;
    return {
      observation: observation.text,
      answer: answer?.text ?? '',
      action: own,
      isValid: isValid(step),
      next: result.observation.text,
      reward: result.reward,
    };
  });
  return { task: { id: task.id, type: task.type }, won, steps: played };
}

function saidStep(
  step: TrajectoryStep,
  { texts, invalidCost = 0 }: Playing,
  temperature: number,
): Omit<SaidStep, 'reward'> {
  const { prompt, answer } = step;
  invariant(prompt && answer, 'playedGroups: the policy gave no answer at a step');
  // penalties do not depend on an open choice of action
  const { penalty: malformed } = texts.read(answer, null);
  const invalid = invalidCost > 0 && !isValid(step) ? -invalidCost : undefined;
  const penalty = malformed === undefined ? invalid : malformed + (invalid ?? 0);
  return { prompt, answer, temperature, ...(penalty !== undefined && { penalty }) };
}

/** Whether the answer named an action that the environment accepts; where it cannot say, any action counts. */
function isValid({ own, observation: { admissible } }: TrajectoryStep): boolean {
  return own !== null && (admissible?.includes(own) ?? true);
}

/** The state before each step. */
function anchorsOf({ first, steps }: Trajectory, anchor: Playing['anchor']): string[] {
  if (!anchor) return steps.map(seenIn);
  const turns = steps.map(({ action, result }) => ({
    command: action,
    observation: result.observation.text,
  }));
  return steps.map(({ observation }, step) =>
    anchor({ history: { initial: first.text, turns: turns.slice(0, step) }, observation }),
  );
}

/** The observation of a step as one text: its words, and its encoded pictures or numbers, without the history. */
function seenIn({ observation, prompt }: TrajectoryStep): string {
  const shown = (prompt ?? []).map((part) => {
    if (part.kind === 'image') return part.features.key;
    return part.kind === 'array' ? part.values.data.join() : null;
  });
  return JSON.stringify([observation.text, ...shown.filter((each) => each !== null)]);
}

function playedMeasures(attempts: readonly PlayedAttempt[], { answers }: { readonly answers: number }) {
  const steps = attempts.flatMap(({ trajectory }) => trajectory.steps);
  const mean = (of: (attempt: PlayedAttempt) => number): number =>
    attempts.reduce((sum, attempt) => sum + of(attempt), 0) / attempts.length;
  return {
    /** of the run so far: every step asks for one answer */
    environment_steps: answers,
    mean_return: mean((attempt) => attempt.return),
    success: mean(({ trajectory }) => (trajectory.won ? 1 : 0)),
    mean_steps: steps.length / attempts.length,
    /** share of answers that named no action */
    no_action_share: steps.filter(({ own }) => own === null).length / steps.length,
  };
}
