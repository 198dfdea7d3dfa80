/**
 * What a speaker and a listener do, in this process or at an address. Pictures go by their names (a drawn view, a path): whoever holds them reads them.
 */

export interface ListenerItem {
  /** names of pictures, each asked about alone */
  readonly candidates: readonly string[];
  /** as `listenerQuestion` words it */
  readonly question: string;
}

export interface Listener {
  /** Of its model and of what it has learned: the same name, the same answers. */
  identity(): Promise<string>;
  /** For every item the probability of "yes" of each candidate, 0 to 1. What cannot be told is thrown, never 0. */
  score(items: readonly ListenerItem[]): Promise<readonly (readonly number[])[]>;
}

export interface SpeakerItem {
  /** name of the picture */
  readonly image: string;
  /** as `speakerPrompt` words it */
  readonly question: string;
}

export interface Speaker {
  /** Of its model and of what it has learned: the same name, the same answers. */
  identity(): Promise<string>;
  /** For every item what is said, its tags included: `readDescription` reads it. What cannot be had is thrown, never an empty text. */
  describe(items: readonly SpeakerItem[]): Promise<readonly string[]>;
}
