/**
 * An environment that runs in this process, described before it is opened: its steps, observations for small networks, texts for language
 * models, and best player. All differences between such environments are here, so no code tests their names.
 */
import type { Frame, NumberArray } from './observation.ts';
import type { KindSettings, OpenedKind, TaskSet, TaskSource } from './environment-kind.ts';
import type { StepEnvironment, Steppable } from './step-environment.ts';

export interface LocalSettings extends KindSettings {
  /**
   * for an environment with a fixed list of starts: the set its episodes begin from; a seed is a start's number if `isCounted`,
   * else it seeds a random choice. Absent: a random start of any set. Environments with endless seeds ignore this: their even
   * seeds are for training, odd ones held out
   */
  readonly starts?: { readonly set: TaskSet; readonly isCounted: boolean };
}

/** `Made` is the type returned by `make`; only such objects reach the functions that take one. */
export interface LocalWorld<Made extends StepEnvironment = StepEnvironment> {
  /** as published */
  readonly id: string;
  /** the actions in words, by number */
  readonly actions: readonly string[];
  /** numbers of the useful actions, offered to language models */
  readonly offered: readonly number[];
  /** step limit of an episode */
  readonly maxSteps: number;
  readonly tasks: Readonly<Record<TaskSet, TaskSource>>;
  /** lowest and highest reward of one step; absent: not declared */
  readonly rewards?: readonly [least: number, most: number];
  /** whether its outcomes say `won`; absent: a return above 0 is success, as in the published code */
  readonly hasGoal?: boolean;
  /** Errors: `usage` for a setting that does not apply. */
  make(settings: LocalSettings): Made;
  /** Errors: as `make`. */
  open(settings: KindSettings): OpenedKind;
  /** The best offered action now; the first one if no way leads to the goal. */
  expert(made: Made): number;
  /** Call before an action; the returned function judges the action afterwards; absent: no judgement. */
  judge?(made: Made, action: number): () => Verdict;
  /** texts for a language model; absent: there are none */
  readonly words?: WorldWords<Made>;
  /** inputs for small networks; absent: they cannot read it */
  readonly numbers?: WorldNumbers;
  /** the same environment moved by a robot's numbers; absent: no robot */
  readonly moved?: MovedWorld;
  /** whether several environments of the kind can share a run's tasks and seeds */
  readonly isMixed?: boolean;
}

/** Judgement of an action. */
export type Verdict = 'useful' | 'neutral' | 'useless';

/** An observation without a picture. */
export interface SeenInWords {
  readonly text: string;
  readonly arrays: Readonly<Record<string, NumberArray>>;
}

export interface PromptForm {
  /** palette of the prompt's picture; null: the kind's own */
  readonly palette?: string | null;
  /** asks for the action only, if supported */
  readonly actionOnly?: boolean;
  /** asks for a score of each action, if supported */
  readonly scores?: boolean;
}

export interface AnswerForm {
  /** thoughts include conclusions from what is seen */
  readonly concludes: boolean;
  /** without thoughts, if supported */
  readonly actionOnly: boolean;
}

/** The published prompt of a step, which describes its picture, and answers to it: JSON with an `action`. */
export interface WorldWords<Made extends StepEnvironment = StepEnvironment> {
  readonly asksActionOnly: boolean;
  readonly asksScores: boolean;
  /** whether the words contain everything that the picture shows */
  readonly isAllInText: boolean;
  /** Errors: `usage` for a palette without a published prompt. */
  prompt(seen: SeenInWords, form: PromptForm): string;
  /** fields of an answer before its thoughts, in this order; absent: none */
  fields?(seen: SeenInWords): Readonly<Record<string, string | readonly number[]>>;
  /** A correct player's answer for an action, which need not be the best. */
  answer(made: Made, action: number, form: AnswerForm): string;
}

/** How a prompt's array is read. */
export type ArrayInput =
  | {
      readonly array: string;
      readonly encode: 'numbers';
      /** length of the array */
      readonly size: number;
      /** factor on each number; default 1 */
      readonly scale?: number;
    }
  | {
      readonly array: string;
      readonly encode: 'one-hot';
      /** length of the array */
      readonly size: number;
      /**
       * number of categories, counted from 0, for each number along the last axis, repeated: [11, 6, 3] for cells of
       * object, colour and state
       */
      readonly categories: readonly number[];
    };

export interface WorldNumbers {
  /** inputs of a perceptron; absent: it cannot read them */
  readonly inputs?: readonly ArrayInput[];
  /** `frameSize` for a convolutional network; absent: the size shown to people */
  readonly frameSize?: number;
  /** square convolution windows; absent: the network's default */
  readonly convolutions?: readonly {
    readonly filters: number;
    readonly kernel: number;
    readonly stride: number;
  }[];
  /** PPO settings found by experiments; absent: the common ones */
  readonly found?: FoundSettings;
}

/** An environment with numbered actions whose steps may be asynchronous, such as one that a client plays. */
export interface NumberedWorld {
  /** names of the actions; an action is its index */
  readonly actions: readonly string[];
  /** how small networks read it; absent: they cannot read its arrays */
  readonly numbers?: WorldNumbers;
  /** size of its pictures; null: it has none */
  readonly picture: { readonly width: number; readonly height: number } | null;
  /** A new one, for one place of a vector, with pictures if they are read. Training seeds are even, those held out odd. */
  make(read: { readonly frames: boolean }): Steppable;
}

/** Differences from the common settings, by policy kind: grouped and named like the settings, whose ranges are checked on use. */
export type FoundSettings = Readonly<
  Partial<
    Record<
      'network' | 'model',
      { readonly [group: string]: { readonly [setting: string]: number | string | null } }
    >
  >
>;

export interface MovedWorld {
  /** step limit of an episode */
  readonly maxSteps: number;
  /** pixels per side of a frame, as models see it */
  readonly frameSize: number;
  make(settings: LocalSettings): MovedEnvironment;
}

/** An action is a list of numbers from −1 to 1. */
export interface MovedEnvironment extends StepEnvironment<unknown, readonly number[]> {
  /** the start of the episode */
  readonly start: { readonly task: number; readonly state: number };
  observe(): { readonly state: NumberArray } & Readonly<Record<string, NumberArray>>;
  frame(): Frame;
  /** The scripted controller's action now; `steps` rounds each number to this many steps per unit, null does not round. */
  expert(options?: { readonly steps?: number | null }): readonly number[];
}
