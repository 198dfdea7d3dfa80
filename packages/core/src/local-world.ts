/**
 * An environment of a kind that runs in this process, known before anything is opened: what is stepped, what is seen of it by small networks
 * and said of it to language models, who plays it best. Whatever differs between such environments is here, so that nobody asks for their names.
 */
import type { Frame, NumberArray } from './observation.ts';
import type { KindSettings, OpenedKind, TaskSet, TaskSource } from './environment-kind.ts';
import type { StepEnvironment } from './step-environment.ts';

export interface LocalSettings extends KindSettings {
  /**
   * where an environment has so many starts and no more: those of which set it begins with, and whether a seed is a start's number in place of what
   * it is drawn with. Absent: any start, drawn. Where seeds never end this changes nothing: even ones are for training, odd ones held out
   */
  readonly starts?: { readonly set: TaskSet; readonly isCounted: boolean };
}

/** `Made`: what `make` makes, and nothing else is given to the functions that take one. */
export interface LocalWorld<Made extends StepEnvironment = StepEnvironment> {
  /** as published */
  readonly id: string;
  /** the actions in words, by number */
  readonly actions: readonly string[];
  /** of these the ones that help, by number: what a language model is offered */
  readonly offered: readonly number[];
  /** actions after which an episode ends by itself */
  readonly maxSteps: number;
  readonly tasks: Readonly<Record<TaskSet, TaskSource>>;
  /** Errors: `usage` for a setting that means nothing here. */
  make(settings: LocalSettings): Made;
  /** Errors: as `make`. */
  open(settings: KindSettings): OpenedKind;
  /** The best action now, of those that are offered; from where no way leads to the end the first. */
  expert(made: Made): number;
  /** Looks before an action, and tells after it what it was good for; absent: nobody can tell. */
  judge?(made: Made, action: number): () => Verdict;
  /** between it and a language model; absent: nothing is written for it */
  readonly words?: WorldWords<Made>;
  /** between it and small networks; absent: they cannot read it */
  readonly numbers?: WorldNumbers;
  /** the same as a robot moves that is told numbers; absent: it is no robot's */
  readonly moved?: MovedWorld;
  /** several environments of the kind can be the tasks of one run, in the seeds of one environment */
  readonly isMixed?: boolean;
}

/** What an action was good for. */
export type Verdict = 'useful' | 'neutral' | 'useless';

/** What is seen without a picture. */
export interface SeenInWords {
  readonly text: string;
  readonly arrays: Readonly<Record<string, NumberArray>>;
}

export interface PromptForm {
  /** of the picture that the prompt is about; null for the kind's own */
  readonly palette?: string | null;
  /** asks for the action alone, where that can be asked for */
  readonly actionOnly?: boolean;
  /** asks for a score of each action, where that can be asked for */
  readonly scores?: boolean;
}

export interface AnswerForm {
  /** thoughts go on to what follows from what is seen */
  readonly concludes: boolean;
  /** where that can be asked for: without thoughts */
  readonly actionOnly: boolean;
}

/** The published prompt of a step, which is about its picture, and answers to it: JSON with an `action`. */
export interface WorldWords<Made extends StepEnvironment = StepEnvironment> {
  readonly asksActionOnly: boolean;
  readonly asksScores: boolean;
  /** what is seen in words says all that the picture shows */
  readonly isAllInText: boolean;
  /** Errors: `usage` for a palette without a published prompt. */
  prompt(seen: SeenInWords, form: PromptForm): string;
  /** what an answer has before its thoughts, in this order; absent: nothing */
  fields?(seen: SeenInWords): Readonly<Record<string, string | readonly number[]>>;
  /** What a player answers who sees right, to take an action, which need not be the best. */
  answer(made: Made, action: number, form: AnswerForm): string;
}

/** What is read of a prompt's array of that name. */
export type ArrayInput =
  | {
      readonly array: string;
      readonly encode: 'numbers';
      /** how many */
      readonly size: number;
      /** each is multiplied with this; default 1 */
      readonly scale?: number;
    }
  | {
      readonly array: string;
      readonly encode: 'one-hot';
      /** how many */
      readonly size: number;
      /**
       * how many values there are, from 0, for each number of the last axis, over and over: [11, 6, 3] for cells of object,
       * colour and state
       */
      readonly categories: readonly number[];
    };

export interface WorldNumbers {
  /** what a perceptron reads; absent: it cannot read them */
  readonly inputs?: readonly ArrayInput[];
  /** `frameSize` as a convolutional network needs it; absent: as it is shown to people */
  readonly frameSize?: number;
  /** of that network, square windows; absent: its own */
  readonly convolutions?: readonly {
    readonly filters: number;
    readonly kernel: number;
    readonly stride: number;
  }[];
  /** what was found by trial for PPO; absent: what others have in common */
  readonly found?: FoundSettings;
}

/** Differences from what others have in common, by who learns: in the groups and under the names of the settings, whose ranges are checked where they are used. */
export type FoundSettings = Readonly<
  Partial<
    Record<
      'network' | 'model',
      { readonly [group: string]: { readonly [setting: string]: number | string | null } }
    >
  >
>;

export interface MovedWorld {
  /** actions after which an episode ends by itself */
  readonly maxSteps: number;
  /** pixels of a frame's side, as models see it */
  readonly frameSize: number;
  make(settings: LocalSettings): MovedEnvironment;
}

/** An action is a list of numbers from −1 to 1. */
export interface MovedEnvironment extends StepEnvironment<unknown, readonly number[]> {
  /** what the episode began with */
  readonly start: { readonly task: number; readonly state: number };
  observe(): { readonly state: NumberArray } & Readonly<Record<string, NumberArray>>;
  frame(): Frame;
  /** What the scripted controller does now; `steps`: each number rounded to so many steps a unit, null as it is. */
  expert(options?: { readonly steps?: number | null }): readonly number[];
}
