/**
 * Speaker and listener, in this process or behind an address: both answer questions about one picture each. Pictures are
 * passed by name (a drawn view, a path); each player reads them itself.
 */

export interface PictureQuestion {
  /** name of the picture */
  readonly picture: string;
  /** wording of `listenerQuestion` or `speakerPrompt` */
  readonly question: string;
}

export interface PictureAnswers<T> {
  /** one per question, in order */
  readonly answers: readonly T[];
  /** of the model that gave them all */
  readonly identity: string;
}

export interface LewisPlayer<T> {
  /** Identity of the model and its trained parameters: equal names give equal answers. */
  identity(): Promise<string>;
  /** Answers every question. A missing answer throws; it is never 0 or an empty text. */
  ask(questions: readonly PictureQuestion[]): Promise<PictureAnswers<T>>;
}

/** Its answers are probabilities of "yes", 0 to 1. */
export type Listener = LewisPlayer<number>;

/** Its answers are texts, tags included; `readDescription` parses them. */
export type Speaker = LewisPlayer<string>;
