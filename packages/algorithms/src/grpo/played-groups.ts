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
import { groupMethodOf } from './group-methods.ts';
import { askedAhead, type Asking, type Coming } from '../ahead.ts';
import { temperatureOf } from '../shared-settings.ts';
import { firstDraw, streamOfDraw, withRedraws, type Draw } from './redraws.ts';
import {
  isNamed,
  isValid,
  paymentsOf,
  sumOf,
  type NamedRewards,
  type PlayedReward,
} from './attempt-rewards.ts';
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
  readonly reward?: PlayedReward | NamedRewards;
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
  const begin: AttemptSource<PlayedAttempt>['begin'] = (run) => beginPlaying(playing, run);
  // an environment whose rewards do not count has no returns worth a column
  return isNamed(playing.reward) ? { begin } : { begin, measures: playedMeasures };
}

/** The first attempts of an update, and others of the same policy in place of some. */
interface UpdatePlay {
  readonly update: number;
  /** updates that the policy had made that acted */
  readonly version: number;
  readonly first: readonly Trajectory[];
  again(draw: Draw): Promise<readonly Trajectory[]>;
}

/** Rewards are made at an update's turn, also where its attempts were played ahead. */
function beginPlaying(playing: Playing, run: ActingRun): Coming<AttemptGroups<PlayedAttempt>> {
  const played = playedUpdates(playing, run);
  return {
    next: async () => {
      const { update, version, first, again } = await played.next();
      return withRedraws(run.settings, async (draw) =>
        attemptsOf(playing, run, { update, version, played: draw.draw === 0 ? first : await again(draw) }),
      );
    },
    stop: () => played.stop(),
  };
}

function playedUpdates(playing: Playing, run: ActingRun): Coming<UpdatePlay> {
  const { versions, state, settings } = run;
  const { elsewhere } = playing;
  const begun = async (update: number, again: UpdatePlay['again']): Promise<UpdatePlay> => {
    const version = versions.playing(update);
    return { update, version, first: await again(firstDraw(settings)), again };
  };
  if (!elsewhere) {
    const next = () => {
      const { update } = state;
      const version = versions.playing(update);
      return begun(update, (draw) =>
        versions.under(version, () => playedIn(playing, run, { update, ...draw })),
      );
    };
    return { next, stop: async () => {} };
  }
  return askedAhead({
    versions,
    updates: settings.play.updates,
    made: () => state.update,
    isChain: false,
    ask: (update, _before, asking) => {
      const parameters = versions.at(versions.playing(update));
      const signal = run.signal ? AbortSignal.any([run.signal, asking.signal]) : asking.signal;
      return begun(update, (draw) => {
        const others = elsewhere({ update, draw: draw.draw, parameters }, asking);
        return playedIn(playing, run, { update, ...draw, elsewhere: others, signal });
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

async function attemptsOf(
  playing: Playing,
  { settings }: ActingRun,
  { update, version, played }: PlayedGroups,
): Promise<AttemptGroups<PlayedAttempt>> {
  const { groupSize, updates } = settings.play;
  const temperature = temperatureOf(settings.play, update, updates);
  requireNoneLost(played, update);
  const payments = await paymentsOf(playing.reward ?? 'return', played);
  const attempts = played.map((trajectory, place): PlayedAttempt => {
    const anchors = groupMethodOf(settings.losses).steps ? anchorsOf(trajectory, playing.anchor) : null;
    const { rewards: paid, steps: worth } = payments[place]!;
    const steps = trajectory.steps.map((step, index) => {
      const said = saidStep(step, playing, temperature);
      const own = worth[index]! + (said.penalty ?? 0);
      return { ...said, reward: own, ...(anchors && { anchor: anchors[index]! }) };
    });
    const penalty = steps.reduce((sum, { penalty: each = 0 }) => sum + each, 0);
    const rewards = isNamed(playing.reward) && penalty === 0 ? paid : { ...paid, penalty };
    return {
      trajectory,
      return: sumOf(trajectory.steps.map(({ result }) => result.reward)),
      steps,
      rewards,
      reward: sumOf(Object.values(rewards)),
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
