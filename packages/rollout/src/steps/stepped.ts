/**
 * Steps an environment of words for PPO. The seed selects the task. An episode that cannot store its state is restored
 * by replaying its actions.
 */
import {
  EmacError,
  invariant,
  type Environment,
  type Episode,
  type EpisodeMoment,
  type Observation,
  type Seed,
  type StepOutcome,
  type Steppable,
  type Task,
  type Turn,
} from '@emac/core';
import { noFrame } from '../texts.ts';

export interface SteppedOptions {
  /** the tasks to play: those of training, or held-out ones */
  readonly tasks: readonly Task[];
  /** step limit, then truncation; null: the environment's own limit */
  readonly maxSteps: number | null;
  /** names the environment in errors; default `environment` */
  readonly id?: string;
  /** whether an episode is won so far, from its last step's report and its return; absent: outcomes do not say */
  readonly isWon?: (episode: { readonly won: boolean; readonly return: number }) => boolean;
  /** the environment's chance in a task; absent: the seed of `reset` */
  readonly seedOf?: (task: Task) => string;
  /** whether a restored episode must also give the same arrays, where texts say little; default false */
  readonly sameArrays?: boolean;
}

/** The data to restore an episode. */
export interface SteppedState {
  readonly task: string;
  readonly seed: string;
  /** so far */
  readonly commands: readonly string[];
  /** fingerprints of all observations, the first included: one more than commands */
  readonly given: readonly number[];
}

/** The index of a seed's task among n: half the seed modulo n, so that even and odd seeds play the tasks alike. */
export function taskNumber(seed: Seed, count: number): number {
  return Number((BigInt(seed) / 2n) % BigInt(count));
}

/**
 * One episode at a time of an environment that allows several; a vector has one of these per place. Its `reset` needs a
 * seed. Errors: `usage` without tasks; in `restore`, `data` if a task is unknown or the same actions give other observations; those of the environment.
 */
export function steppedOf(
  environment: Pick<Environment, 'begin'>,
  { tasks, maxSteps, id = 'environment', isWon, seedOf, sameArrays = false }: SteppedOptions,
): Steppable<SteppedState, string> {
  if (tasks.length === 0) throw new EmacError('usage', `${id}: has no tasks to play; give one or more`);
  let going: Going | null = null;
  const now = (): Going => {
    invariant(going, `${id}: reset it with a seed first`);
    return going;
  };
  const leave = async (): Promise<void> => {
    const left = going;
    going = null;
    if (left && !left.isOver) await left.episode.close();
  };
  const begin = async (task: Task, seed: string): Promise<Going> => {
    await leave();
    const episode = await environment.begin(task, seed);
    const { first } = episode;
    return (going = {
      episode,
      seed,
      turns: [],
      given: [fingerprint(first, [], sameArrays)],
      observation: first,
      return: 0,
      isOver: false,
    });
  };
  /** closes an episode that failed midway */
  const orLeave = async <T>(work: Promise<T>): Promise<T> => {
    try {
      return await work;
    } catch (thrown) {
      // a fault on leaving matters less than the first one
      await leave().catch(() => {});
      throw thrown;
    }
  };
  return {
    id,
    actions: [],
    reset: async (seed) => {
      invariant(seed !== null, `${id}: every episode needs its own seed`);
      const task = tasks[taskNumber(seed, tasks.length)]!;
      await begin(task, seedOf?.(task) ?? String(seed));
      return { won: false };
    },
    step: (command) => orLeave(act(now(), command, { maxSteps, isWon, sameArrays })),
    text: () => now().observation.text,
    observe: () => now().observation.arrays ?? {},
    frame: () => now().observation.frames[0] ?? noFrame,
    moment: () => momentOf(now()),
    state: () => stateOf(now()),
    restore: async (state) => {
      const at = await begin(storedTask(tasks, state, id), state.seed);
      await orLeave(replay(at, state, { id, maxSteps, isWon, sameArrays }));
    },
    close: leave,
  };
}

function storedTask(tasks: readonly Task[], { task: name }: SteppedState, id: string): Task {
  const task = tasks.find((each) => each.id === name);
  if (task) return task;
  throw new EmacError(
    'data',
    `${id}: the stored episode is of task ${name}, which is not among the ${tasks.length} of this environment; resume with the tasks of that run`,
  );
}

/** An episode under way. */
interface Going {
  readonly episode: Episode;
  readonly seed: string;
  turns: readonly Turn[];
  readonly given: number[];
  observation: Observation;
  return: number;
  isOver: boolean;
}

interface Acting extends Required<Pick<SteppedOptions, 'maxSteps' | 'sameArrays'>> {
  readonly isWon: SteppedOptions['isWon'] | undefined;
}

async function act(
  at: Going,
  command: string,
  { maxSteps, isWon, sameArrays }: Acting,
): Promise<StepOutcome> {
  invariant(!at.isOver, `${at.episode.task.id}: the episode has ended; reset its environment`);
  const { observation, reward, terminated, truncated, info } = await at.episode.step(command);
  at.turns = [...at.turns, { command, observation: observation.text }];
  at.given.push(fingerprint(observation, [reward, terminated, truncated], sameArrays));
  at.observation = observation;
  at.return += reward;
  const isCut = truncated || (!terminated && maxSteps !== null && at.turns.length >= maxSteps);
  at.isOver = terminated || isCut;
  if (at.isOver) await at.episode.close();
  return {
    reward,
    terminated,
    truncated: isCut,
    info,
    ...(isWon && { won: isWon({ won: info.won, return: at.return }) }),
  };
}

/** Errors: `data` at the first observation that differs. */
async function replay(
  at: Going,
  { commands, given }: SteppedState,
  { id, ...acting }: Acting & Required<Pick<SteppedOptions, 'id'>>,
): Promise<void> {
  const requireSame = (): void => {
    const count = at.turns.length;
    if (at.given[count] === given[count]) return;
    const when = count === 0 ? 'at its start' : `after ${count} of its ${commands.length} actions`;
    throw new EmacError(
      'data',
      `${id}: replaying the actions of task ${at.episode.task.id} must give the same observations, got another one ${when}: ${JSON.stringify(at.observation.text.slice(0, 80))}; resume with the environment of that run: equal seeds and actions must give equal steps`,
    );
  };
  requireSame();
  for (const command of commands) {
    await act(at, command, acting);
    requireSame();
  }
}

function momentOf({ episode, turns, observation }: Going): EpisodeMoment {
  return { history: { initial: episode.first.text, turns }, observation };
}

function stateOf({ episode, seed, turns, given }: Going): SteppedState {
  const commands = turns.map(({ command }) => command);
  return { task: episode.task.id, seed, commands, given: [...given] };
}

/**
 * FNV-1a, 32 bits, of the text, accepted actions and the step's rewards and ends; of arrays only if asked. Pictures are
 * excluded, and arrays usually: their last bits may depend on a driver.
 */
function fingerprint(
  { text, admissible, arrays = {} }: Observation,
  brought: readonly (number | boolean)[],
  withArrays: boolean,
): number {
  const numbers = withArrays ? [Object.entries(arrays).map(([name, { data }]) => [name, [...data]])] : [];
  const all = JSON.stringify([text, admissible, brought, ...numbers]);
  let hash = 0x811c9dc5;
  for (let at = 0; at < all.length; at++) hash = Math.imul(hash ^ all.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
