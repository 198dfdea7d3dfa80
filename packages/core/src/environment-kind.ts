/** What an environment of a kind is opened with, and what is then there: its tasks, its episodes, the words between it and a language model. */
import type { Environment, Task } from './environment.ts';
import type { Expert } from './expert.ts';
import type { EpisodeMoment } from './history.ts';
import type { Observation } from './observation.ts';
import type { Answer, Policy } from './policy.ts';
import type { Random } from './random.ts';
import type { Seed, StepEnvironment } from './step-environment.ts';

/** What every kind may be opened with; a kind refuses what means nothing to it. */
export interface KindSettings {
  /** step limit of an episode; null for the environment's own */
  readonly maxSteps: number | null;
  /** colours of the pictures, by a name of the kind; null for its own */
  readonly palette?: string | null;
  /** pixels of the side of what a frame is made of, or of the frame; absent: as it is shown to people */
  readonly frameSize?: number;
  /** which tasks: ALFWorld's games, a folder of pictures; null for the kind's own */
  readonly source?: string | null;
  /** the same of those that are held out */
  readonly heldOut?: string | null;
  /** of what a kind draws to make its training tasks, such as candidates of a game; held-out tasks are the same for every seed. Absent: 0 */
  readonly seed?: number;
}

/** One environment of a kind. */
export interface OpenedKind {
  readonly id: string;
  /** actions after which an episode is cut off */
  readonly maxSteps: number;
  /** The tasks: no task is in both sets. */
  readonly tasks: Readonly<Record<TaskSet, TaskSource>>;
  /** These tasks as an environment whose actions are words; it begins as many episodes at once as are asked for. */
  environment(tasks: readonly Task[]): Environment;
  /** The words between it and a language model. Errors: `usage` for a policy that cannot read it. */
  speech(policy: SpeechPolicy, form: SpeechForm): Speech;
  /** Stepped by number in this process, seeds as `tasks` number them: for small networks and fast collection. Absent: it cannot be. */
  stepped?(): StepEnvironment;
  /** The scripted player, which labels any moment of an episode by its task and history; absent: there is none. */
  readonly player?: Expert;
  /** it says itself of every episode whether it was won; absent: one whose rewards sum to more than 0 is, too */
  readonly hasGoal?: boolean;
  /** How many episodes can be under way at once now, where others play them; absent: any number. */
  seats?(): number;
  /** of what is elsewhere, such as a list of games: a resumed run has to find the same; absent: nothing is */
  readonly versions?: Readonly<Record<string, string>>;
  /** Frees what it holds, such as a partner that plays in it; absent: it holds nothing. */
  close?(): Promise<void>;
}

export type TaskSet = 'training' | 'heldOut';

export interface TaskSource {
  /** null: as many as there are seeds */
  readonly count: number | null;
  /** Equal numbers, from 0, give equal tasks. Errors: `internal` for a number beyond `count`. */
  at(number: Seed): Task;
}

/** What a speech needs to know of who speaks. */
export type SpeechPolicy = Pick<Policy, 'countPromptTokens'> & {
  /** what each token adds to an answer's text */
  readonly tokenTexts?: (tokens: readonly number[]) => readonly string[];
  /** of a model that moves a robot: the numbers that an answer's tokens stand for, and whether these are no action and the robot does nothing */
  readonly motionOf?: (tokens: readonly number[]) => {
    readonly motion: readonly number[];
    readonly isMalformed: boolean;
  };
};

/** How it is to speak. */
export interface SpeechForm {
  /** longest prompt in tokens: the oldest steps are dropped from a longer one */
  readonly maxTokens: number;
  readonly observe: 'text' | 'image' | 'both';
  /** answers have thoughts before the action */
  readonly thoughts: boolean;
  /** answers score every action; the action is drawn by the scores */
  readonly scores?: boolean;
  /** added to the reward of an answer that is no action but counts as one; absent: 0 */
  readonly malformedPenalty?: number;
}

/** A moment of an episode, as a speech reads it. */
export interface Moment extends EpisodeMoment {
  /** lessons from failed attempts at this task, oldest first */
  readonly memories: readonly string[];
}

/**
 * The words between an environment and a language model. Acting, training and evaluation use the same object, so that what is trained on is
 * what is read when acting.
 */
export interface Speech {
  /** texts that end an answer, so that a model that writes on after its action is not waited for; default none */
  readonly stop?: readonly string[];
  /** What the policy reads after the pictures of the observation. */
  prompt(moment: Moment): string;
  /** What the policy is to say for an action, at the moment that is shown, with a label's thoughts where answers have some. */
  target(action: string, observation: Observation, thoughts?: readonly string[]): string;
  /** The action in an answer; `random` draws where the answer leaves it open, null takes the likeliest. */
  read(answer: Answer, random: Random | null): Said;
}

export interface Said {
  /** null: the answer names no action */
  readonly action: string | null;
  /** the answer's token from which on it names the action; before it are thoughts. 0 where all does */
  readonly actionStart: number;
  /** added to the reward that is learned from; absent: 0 */
  readonly penalty?: number;
}
