/**
 * Attempts that are whole episodes: G per task in any environment, beginning alike. Each answer is a step of the
 * attempt, even if it names no action; the environment's return is the attempt's reward.
 */
import { EmacError, invariant, type EpisodeMoment, type Trajectory, type TrajectoryStep } from '@emac/core';
import { groupsOf, rollout, type Attempt, type Elsewhere, type Rollout } from '@emac/rollout';
import { groupMethodOf } from './group-methods.ts';
import { askedAhead, type Coming } from '../ahead.ts';
import { temperatureOf } from '../shared-settings.ts';
import { firstDraw, streamOfDraw, withRedraws, type Draw } from './redraws.ts';
import { isNamed, isValid, paymentsOf, sumOf } from './attempt-rewards.ts';
import {
  requireLengths,
  taskOfGroup,
  type AttemptGroups,
  type PlayedAttempt,
  type SaidStep,
} from './attempts.ts';
import type { Playing, RunningGrpo } from './grpo-run.ts';

/** The first attempts of an update, and others of the same policy in place of some. */
interface UpdatePlay {
  readonly update: number;
  /** updates that the policy had made that acted */
  readonly version: number;
  readonly first: readonly Trajectory[];
  again(draw: Draw): Promise<readonly Trajectory[]>;
}

/**
 * Attempts of one update after another, from the state's on; equal runs get equal attempts. Rewards are made at an update's turn,
 * also where its attempts were played ahead. Errors: those of `rollout` and `elsewhere`, and `unavailable` for a lost episode,
 * after all work has ended; they change nothing in the run.
 */
export function beginPlaying(run: RunningGrpo): Coming<AttemptGroups> {
  const played = playedUpdates(run);
  return {
    next: async () => {
      const { update, version, first, again } = await played.next();
      return withRedraws(run.settings, async (draw) =>
        attemptsOf(run, { update, version, played: draw.draw === 0 ? first : await again(draw) }),
      );
    },
    stop: () => played.stop(),
  };
}

function playedUpdates(run: RunningGrpo): Coming<UpdatePlay> {
  const { versions, state, settings } = run;
  const { elsewhere } = run.attempts;
  const begun = async (update: number, again: UpdatePlay['again']): Promise<UpdatePlay> => {
    const version = versions.playing(update);
    return { update, version, first: await again(firstDraw(settings)), again };
  };
  if (!elsewhere) {
    const next = () => {
      const { update } = state;
      const version = versions.playing(update);
      return begun(update, (draw) => versions.under(version, () => playedIn(run, { update, ...draw })));
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
        return playedIn(run, { update, ...draw, elsewhere: others, signal });
      });
    },
  });
}

interface PlayedUpdate extends Draw {
  readonly update: number;
  readonly elsewhere?: Elsewhere;
  readonly signal?: AbortSignal;
}

/**
 * The trajectories of a draw, group after group [P · G]. Groups of tasks that share batches are played one after another, as
 * worker jobs do; all at once if workers play, since they order their own.
 */
async function playedIn(run: RunningGrpo, asked: PlayedUpdate): Promise<Trajectory[]> {
  const { settings, signal } = run;
  const { update, draw: _draw, places, ...own } = asked;
  const { texts, environment, maxSteps, parallel, report, stopRepeating, admissibleOnly } = run.attempts;
  const { updates, groupSize, together = null } = settings.play;
  const setup: Rollout = {
    texts,
    environment,
    maxSteps,
    parallel,
    ...(report && { report }),
    stopRepeating: stopRepeating ?? false,
    admissibleOnly: admissibleOnly ?? false,
    policy: run.policy,
    sampling: {
      kind: 'sample',
      temperature: temperatureOf(settings.play, update, updates),
      topP: 1,
      ...(admissibleOnly && { over: 'allowed' }),
    },
    expert: null,
    asksPolicy: true,
    policyMemory: false,
    ...(signal && { signal }),
    ...own,
  };
  const attempts = attemptsIn(run, asked);
  const played: Trajectory[] = [];
  for (const { first, end } of groupsOf(places.length, own.elsewhere ? null : together))
    played.push(...(await rollout(setup, attempts.slice(first * groupSize, end * groupSize))));
  return played;
}

/**
 * G attempts per group, which begin alike: the group's stream names the environment's seed, and each attempt draws from the
 * stream of its index.
 */
function attemptsIn(
  { attempts: { tasks }, settings, random }: RunningGrpo,
  { update, draw, places }: PlayedUpdate,
): Attempt[] {
  const { promptsPerUpdate, groupSize } = settings.play;
  const draws = streamOfDraw(random.stream('attempts').stream(update), draw);
  return places.flatMap((place, group) => {
    const turn = update * promptsPerUpdate + place;
    const task = tasks.at(taskOfGroup({ count: tasks.count, turn, random }, draw));
    const own = draws.stream(place);
    return Array.from({ length: groupSize }, (_, member) => ({
      task,
      number: (update * promptsPerUpdate + group) * groupSize + member,
      random: own.stream(member),
      seed: own.path,
      memories: [],
      expertShare: 0,
      made: [],
    }));
  });
}

interface PlayedGroups {
  readonly update: number;
  readonly version: number;
  readonly played: readonly Trajectory[];
}

async function attemptsOf(
  { attempts: playing, settings }: RunningGrpo,
  { update, version, played }: PlayedGroups,
): Promise<AttemptGroups> {
  const { groupSize, updates } = settings.play;
  const temperature = temperatureOf(settings.play, update, updates);
  requireNoneLost(played, update);
  const payments = await paymentsOf(playing.reward ?? 'return', played);
  const attempts = played.map((recorded, place): PlayedAttempt => {
    const trajectory = { ...recorded, won: payments[place]!.won };
    const isCompared = groupMethodOf(settings.losses).steps !== undefined;
    const anchors = isCompared ? anchorsOf(trajectory, playing.anchor) : null;
    const cutOffIn = isCompared ? cutOffAnchorOf(trajectory, playing.anchor) : null;
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
      ...(cutOffIn !== null && { cutOffIn }),
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
  invariant(prompt && answer, 'grpo: the policy gave no answer at a step');
  // penalties do not depend on an open choice of action
  const { penalty: malformed } = texts.read(answer, null);
  const invalid = invalidCost > 0 && !isValid(step) ? -invalidCost : undefined;
  const penalty = malformed === undefined ? invalid : malformed + (invalid ?? 0);
  return { prompt, answer, temperature, ...(penalty !== undefined && { penalty }) };
}

/** The state before each step. */
function anchorsOf(trajectory: Trajectory, anchor: Playing['anchor']): string[] {
  if (!anchor) return trajectory.steps.map(seenIn);
  const momentAt = momentsOf(trajectory);
  return trajectory.steps.map((_, step) => anchor(momentAt(step)));
}

/** The state in which an attempt was cut off; null if it ended by itself, or if nobody encoded the pictures or numbers of that state. */
function cutOffAnchorOf(trajectory: Trajectory, anchor: Playing['anchor']): string | null {
  const { steps, won, end } = trajectory;
  const last = steps.at(-1);
  if (!last || won || end === 'terminated') return null;
  if (anchor) return anchor(momentsOf(trajectory)(steps.length));
  const isText = (last.prompt ?? []).every(({ kind }) => kind === 'text');
  return isText ? seenIn({ observation: last.result.observation, prompt: null }) : null;
}

/** The moment before each step, and after the last. */
function momentsOf({ first, steps }: Trajectory): (step: number) => EpisodeMoment {
  const turns = steps.map(({ action, result }) => ({
    command: action,
    observation: result.observation.text,
  }));
  return (step) => ({
    history: { initial: first.text, turns: turns.slice(0, step) },
    observation: steps[step]?.observation ?? steps[step - 1]!.result.observation,
  });
}

/** The observation of a step as one text: its words, and its encoded pictures or numbers, without the history. */
function seenIn({ observation, prompt }: Pick<TrajectoryStep, 'observation' | 'prompt'>): string {
  const shown = (prompt ?? []).map((part) => {
    if (part.kind === 'image') return part.features.key;
    return part.kind === 'array' ? part.values.data.join() : null;
  });
  return JSON.stringify([observation.text, ...shown.filter((each) => each !== null)]);
}
