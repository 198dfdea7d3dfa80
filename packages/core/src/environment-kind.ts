/** An environment opened by its kind: its settings, tasks and episodes, and the text interface to a language model. */
import type { Dialogue } from './dialogue.ts';
import type { Episode, Task } from './environment.ts';
import type { Expert } from './expert.ts';
import type { EpisodeMoment } from './history.ts';
import type { Observation } from './observation.ts';
import type { Answer, Policy, Question } from './policy.ts';
import type { Random } from './random.ts';
import type { Seed } from './step-environment.ts';

/** Settings for every kind; a kind rejects settings that do not apply to it. */
export interface KindSettings {
  /** step limit of an episode; null: the environment's own */
  readonly maxSteps: number | null;
  /** colour palette of the pictures, by a name of the kind; null: its own */
  readonly palette?: string | null;
  /** pixels per side of a frame's tile, or of the frame; absent: the size shown to people */
  readonly frameSize?: number;
  /** source of the tasks: ALFWorld's games, a folder of pictures; null: the kind's own */
  readonly source?: string | null;
  /** the same for held-out tasks */
  readonly heldOut?: string | null;
  /** seed for making training tasks, such as candidates of a game; held-out tasks are the same for every seed. Absent: 0 */
  readonly seed?: number;
}

/** An opened environment of a kind. */
export interface OpenedKind {
  readonly id: string;
  /** step limit after which an episode is truncated */
  readonly maxSteps: number;
  /** The tasks; no task is in both sets. */
  readonly tasks: Readonly<Record<TaskSet, TaskSource>>;
  /**
   * Starts an attempt at one of its tasks, with actions in words; any number of episodes can run at once. Equal task, seed and actions give equal
   * steps; a deterministic environment ignores the seed. Errors: `internal` for a foreign task; here and in `step`, `LostEpisode` if it fails.
   */
  begin(task: Task, seed: string): Promise<Episode>;
  /** The text interface between it and a language model. Errors: `usage` for a policy that cannot read it. */
  speech(policy: SpeechPolicy, form: SpeechForm): Speech;
  /** The scripted player, which labels any moment of an episode from its task and history; absent: there is none. */
  readonly player?: Expert;
  /** An expert that knows what no agent sees, and so the shortest way; absent: there is none. */
  readonly planner?: Expert;
  /** Steps of a shortest win; absent: not known. */
  shortest?(task: Task): number;
  /**
   * Names the state at a moment of an episode; steps of different attempts with equal names are compared. Absent: its
   * observation, in words and pictures.
   */
  anchor?(moment: EpisodeMoment): string;
  /** Path of the game file of a task, which a process elsewhere needs to play it; undefined for a built-in game. Absent: tasks are no games of files. */
  fileOf?(task: Task): string | undefined;
  /** Files that its settings named for its tasks, which a process elsewhere needs too; absent: there are none. */
  readonly taskFiles?: Pick<KindSettings, 'source' | 'heldOut'>;
  /** `think: …` is a step of its own (ReAct), lessons of failed attempts are in prompts (Reflexion), logs are also in the published forms; absent: not so */
  readonly isReAct?: boolean;
  /** what an episode's success is: true: what its steps report as won; false: rewards that sum to more than 0; absent: either. See `isWon` */
  readonly hasGoal?: boolean;
  /** it writes the messages of every request itself, as an agent of one's own and an environment with tools do; absent: not so */
  readonly dialogue?: 'messages';
  /** actions that the first tasks of a custom environment began with; absent: not known */
  readonly offered?: readonly string[];
  /** A random action, where observations list none; absent: there is none. */
  draw?(observation: Observation, random: Random): string;
  /** lowest and highest reward of one step, both possible; absent: not declared */
  readonly rewards?: readonly [least: number, most: number];
  /** How many episodes can run at once now, if clients play them; absent: any number. */
  seats?(): number;
  /** versions of remote parts, such as a list of games, which a resumed run must find unchanged; absent: there are none */
  readonly versions?: Readonly<Record<string, string>>;
  /** Frees its resources, such as a partner that plays in it; absent: it has none. */
  close?(): Promise<void>;
}

export type TaskSet = 'training' | 'heldOut';

export interface TaskSource {
  /** null: one per seed, without end */
  readonly count: number | null;
  /** Equal numbers, from 0, give equal tasks. Errors: `internal` for a number beyond `count`. */
  at(number: Seed): Task;
  /** where tasks are listed by name: for draws with types in turn, and by id; absent: tasks have numbers alone */
  readonly list?: TaskList;
}

/** A list of tasks, such as games in a folder. */
export interface TaskList<Listed extends ListedTask = ListedTask> {
  /** as typed */
  readonly source: string;
  readonly games: readonly Listed[];
  /** a listed game by id; undefined for any other */
  readonly find: (id: string) => Listed | undefined;
  /** one sentence on unplayable games; null if there are none */
  readonly leftOut: string | null;
}

export interface ListedTask {
  readonly type: string;
  /** without compiling it */
  readonly id: () => string;
}

/** The parts of a policy that a speech needs. */
export type SpeechPolicy = Pick<Policy, 'countPromptTokens'> & {
  /** the text that each token adds to an answer */
  readonly tokenTexts?: (tokens: readonly number[]) => readonly string[];
  /** ids of an answer, without an end token */
  readonly answerTokens?: (text: string) => readonly number[];
  /** most tokens of an answer, the end token included */
  readonly longestAnswer?: number;
};

/** Settings of a speech. */
export interface SpeechForm {
  /** longest prompt in tokens; a longer one loses its oldest steps */
  readonly maxTokens: number;
  readonly observe: 'text' | 'image' | 'both';
  /** with `turns`, lines of an observation that look like a command must be quoted (`quotedTurn`); absent: `message` */
  readonly dialogue?: Dialogue | undefined;
  /** answers have thoughts before the action */
  readonly thoughts: boolean;
  /** answers score every action; the action is sampled by the scores */
  readonly scores?: boolean;
}

/** A moment of an episode, as a speech reads it. */
export interface Moment extends EpisodeMoment {
  /** lessons from failed attempts at this task, oldest first */
  readonly memories: readonly string[];
}

/**
 * The text interface between an environment and a language model. Acting, training and evaluation share the same object, so that training
 * sees the same texts as acting.
 */
export interface Speech {
  /** texts that end an answer, so generation stops after the action; default none */
  readonly stop?: readonly string[];
  /** The end of an answer where each observation has its own, in place of `stop`. */
  endOf?(observation: Observation): Pick<Question, 'stop' | 'maxTokens' | 'form'>;
  /** The prompt's text after the pictures of the observation. */
  prompt(moment: Moment): string;
  /** Errors: `usage` for an action that the policy has no room to say. Absent: a longer one is cut. */
  requireRoom?(action: string): void;
  /** The target text for an action at this moment, with the label's thoughts if answers have thoughts. */
  target(action: string, observation: Observation, thoughts?: readonly string[]): string;
  /** The action in an answer; `random` chooses if the answer leaves it open, null takes the most likely. */
  read(answer: Answer, random: Random | null): Said;
}

export interface Said {
  /** null: the answer names no action */
  readonly action: string | null;
  /** first token of the answer that belongs to the action; thoughts come before it. 0 if there are none */
  readonly actionStart: number;
  /** added to the training reward; absent: 0 */
  readonly penalty?: number;
}

/** Whether an episode that has ended counts as won, from its last step's report and its return. */
export function isWon(
  { hasGoal }: Pick<OpenedKind, 'hasGoal'>,
  { won, return: sum }: { readonly won: boolean; readonly return: number },
): boolean {
  if (hasGoal === undefined) return won || sum > 0;
  return hasGoal ? won : sum > 0;
}
