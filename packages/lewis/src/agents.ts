/**
 * Speaker and listener, in this process or behind an address. Pictures are passed by name (a drawn view, a path); each
 * agent reads them itself.
 */

export interface ListenerItem {
  /** names of pictures, each scored alone */
  readonly candidates: readonly string[];
  /** wording of `listenerQuestion` */
  readonly question: string;
}

export interface Listener {
  /** Identity of the model and its trained parameters: equal names give equal answers. */
  identity(): Promise<string>;
  /**
   * For every item, the probability of "yes" of each candidate, 0 to 1. A missing probability throws; it is never 0.
   */
  score(items: readonly ListenerItem[]): Promise<readonly (readonly number[])[]>;
}

export interface SpeakerItem {
  /** name of the picture */
  readonly image: string;
  /** wording of `speakerPrompt` */
  readonly question: string;
}

export interface Speaker {
  /** Identity of the model and its trained parameters: equal names give equal answers. */
  identity(): Promise<string>;
  /**
   * For every item the written answer, tags included; `readDescription` parses it. A missing answer throws; it is never
   * an empty text.
   */
  describe(items: readonly SpeakerItem[]): Promise<readonly string[]>;
}
