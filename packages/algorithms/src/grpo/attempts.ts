/** GRPO's training data: groups of attempts that begin alike, with their rewards. */
import { EmacError, type Answer, type Prompt, type Random, type Trajectory } from '@emac/core';

/** One answer of the policy within an attempt. */
export interface SaidStep {
  readonly prompt: Prompt;
  /** token ids with their log-probabilities when sampled */
  readonly answer: Answer;
  /** sampling temperature of the answer */
  readonly temperature: number;
  /** part of the attempt's reward: the penalty of this answer, below 0; absent: none */
  readonly penalty?: number;
  /** part of the attempt's reward: what followed this answer, its penalty included; the steps' rewards sum to the attempt's */
  readonly reward: number;
  /** what the environment showed before it, where steps are compared: equal anchors are equal states */
  readonly anchor?: string;
}

/** A whole episode, rewarded. */
export interface PlayedAttempt {
  readonly trajectory: Trajectory;
  /** the environment's, undiscounted, whatever the reward */
  readonly return: number;
  /** in order; an answer to a prompt is an attempt of one step */
  readonly steps: readonly SaidStep[];
  /** the state in which it was cut off, named as `anchor`, where steps are compared; absent: it ended, or the state has no name */
  readonly cutOffIn?: string;
  /** the training reward: the sum of all rewards */
  readonly reward: number;
  /** by name; all attempts of a run have the same names */
  readonly rewards: Readonly<Record<string, number>>;
}

/** The attempts of an update. */
export interface AttemptGroups {
  readonly update: number;
  /** updates that the policy had made that acted */
  readonly version: number;
  /** groups one after another [P · G] */
  readonly attempts: readonly PlayedAttempt[];
  /** G */
  readonly groupSize: number;
  /** with dynamic sampling: the attempts of groups that were replaced, which count as steps taken */
  readonly replaced?: readonly PlayedAttempt[];
}

export interface StepOfAttempt {
  readonly step: SaidStep;
  /** place in its attempt */
  readonly index: number;
  /** place of its attempt among all */
  readonly attempt: number;
}

/** The attempts of each group. */
export function inGroups({ attempts, groupSize }: AttemptGroups): PlayedAttempt[][] {
  return Array.from({ length: attempts.length / groupSize }, (_, group) =>
    attempts.slice(group * groupSize, (group + 1) * groupSize),
  );
}

/** range of drawn seeds for endless tasks: as many as stay exact when doubled */
const seedCount = 2 ** 51;

/**
 * The number of the task at a turn, counted over the run: shuffled passes over a list, or a random number for endless
 * tasks.
 */
export function taskNumber(count: number | null, turn: number, random: Random): number {
  const tasks = random.stream('tasks');
  if (count === null) return tasks.stream(turn).integer(seedCount);
  const pass = tasks.stream(Math.floor(turn / count));
  return pass.shuffle(Array.from({ length: count }, (_, place) => place))[turn % count]!;
}

/** The number of the task of a group: at its turn, or in a redraw any. */
export function taskOfGroup(
  { count, turn, random }: { readonly count: number | null; readonly turn: number; readonly random: Random },
  draw: number,
): number {
  if (draw === 0) return taskNumber(count, turn, random);
  return random
    .stream('tasks')
    .stream('redraw')
    .stream(turn)
    .stream(draw)
    .integer(count ?? seedCount);
}

/** Errors: `usage` for a list that is empty. */
export function requireTasks(count: number | null): void {
  if (count === null || (Number.isSafeInteger(count) && count >= 1)) return;
  throw new EmacError('usage', `training: needs a task, got ${count}`);
}

/** Errors: `usage` for an answer that is too long. */
export function requireLengths(answers: readonly Answer[], maxLength: number): void {
  const longest = Math.max(...answers.map(({ tokens }) => tokens.length));
  if (longest > maxLength)
    throw new EmacError(
      'usage',
      `--max-new-tokens: an answer has ${longest} tokens, the limit is ${maxLength}; give the policy the same limit`,
    );
}
