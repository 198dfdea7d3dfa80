/**
 * A game that a person plays, watches, corrects and asks about: what its page shows, and what a person orders there. A session answers
 * every order with a view, over HTTP or from a worker of the tab.
 */

/** A command that the environment accepts, with how likely a policy is to say it, among all of them. */
export interface WeighedCommand {
  readonly command: string;
  /** from 0 to 1; null: no policy, or one without probabilities */
  readonly now: number | null;
  /** of the second policy, such as the untouched one */
  readonly before: number | null;
}

/** A state of the game. */
export interface GameMoment {
  readonly text: string;
  /** name in `pictures` */
  readonly picture: string | null;
  /** in the environment's order; empty: it lists none, any text is one */
  readonly commands: readonly WeighedCommand[];
  /** what the policies would do; null without the policy, or at the end */
  readonly choice: string | null;
  readonly choiceBefore: string | null;
  /** what the environment's scripted player would do; null where there is none, or it knows nothing */
  readonly expert: string | null;
  /** the text that the policy reads after the picture, and its answer as it stands; null for a policy without texts */
  readonly prompt: string | null;
  readonly answer: string | null;
}

export type Actor = 'person' | 'policy' | 'expert';

/** A step that was made: the state before it, and the command. */
export interface GameStep extends GameMoment {
  readonly command: string;
  readonly by: Actor;
  readonly reward: number;
}

export type GameTaskSet = 'training' | 'heldOut';

/** What the policy says to a prompt that a person changed. */
export interface AskedAgain {
  readonly prompt: string;
  readonly choice: string | null;
  readonly answer: string | null;
  readonly commands: readonly WeighedCommand[];
}

/** How much the choice depends on each part of the picture: the change of its log-probability, in nats, when the part is covered. */
export interface CoveredParts {
  readonly columns: number;
  readonly rows: number;
  /** row by row; below 0: the part speaks for the choice */
  readonly changes: readonly number[];
  readonly choice: string;
}

/** An attempt at the task that has ended, as group methods compare it. */
export interface GameAttempt {
  readonly by: Actor | 'several';
  readonly won: boolean;
  readonly steps: readonly {
    readonly command: string;
    readonly reward: number;
    /** the state before it; steps of different attempts with equal names are compared */
    readonly anchor: string;
  }[];
}

export interface GameView {
  readonly environment: string;
  readonly set: GameTaskSet;
  readonly number: number;
  readonly task: string;
  /** tasks to choose from; null: without end */
  readonly count: number | null;
  readonly maxSteps: number;
  /** names; null without one */
  readonly policy: string | null;
  readonly before: string | null;
  readonly hasExpert: boolean;
  readonly steps: readonly GameStep[];
  readonly now: GameMoment;
  /** the sum of rewards so far */
  readonly score: number;
  /** null while it goes on */
  readonly end: 'won' | 'lost' | 'limit' | null;
  /** what the person has given so far: commands, and choices between two */
  readonly labels: number;
  readonly pairs: number;
  /** the pair chosen at this state */
  readonly preferred: { readonly chosen: string; readonly rejected: string } | null;
  /** attempts at this task that have ended, oldest first */
  readonly attempts: readonly GameAttempt[];
  readonly asked: AskedAgain | null;
  readonly covered: CoveredParts | null;
  /** PNG files as data URLs, by name: those that the page has not got yet */
  readonly pictures: Readonly<Record<string, string>>;
}

/** What a person orders. */
export type GameOrder =
  /** the view with all its pictures */
  | { readonly kind: 'show' }
  /** another task */
  | { readonly kind: 'begin'; readonly set: GameTaskSet; readonly number: number }
  /** acts; the command is the person's label of this state */
  | { readonly kind: 'act'; readonly command: string }
  /** the policy, or the scripted player, makes one step */
  | { readonly kind: 'let'; readonly by: 'policy' | 'expert' }
  /** back to the state before this step, from 0; the steps from there on are dropped, what the person gave stays */
  | { readonly kind: 'back'; readonly step: number }
  /** here this command is better than that one */
  | { readonly kind: 'prefer'; readonly chosen: string; readonly rejected: string }
  /** asks the policy again, with this text in place of its prompt */
  | { readonly kind: 'ask'; readonly prompt: string }
  /** lets the policy attempt the task so often, each command drawn by its probability */
  | { readonly kind: 'draw'; readonly attempts: number }
  /** covers the picture part by part */
  | { readonly kind: 'cover' };

/** A session's answer: a view, or why the order could not be carried out. */
export type GameAnswer = { readonly view: GameView } | { readonly fault: string };

/** Carries out an order. */
export type GamePlace = (order: GameOrder) => Promise<GameAnswer>;
