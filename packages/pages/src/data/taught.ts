/** A training or a collection that asks a person for labels: what its page shows, and what the person answers. */
import type { GameMoment } from './played.ts';

/** A state whose right command is wanted. */
export interface LabelQuestion extends GameMoment {
  /** names it in the answer */
  readonly id: number;
  readonly task: string;
  /** what was done before, oldest first */
  readonly turns: readonly { readonly command: string; readonly observation: string }[];
  /** the first observation */
  readonly initial: string;
}

/** How the policy did in a part of the work. */
export interface TaughtPart {
  /** such as `before`, `round 1`, `after` */
  readonly name: string;
  /** from 0 to 1 */
  readonly success: number;
  readonly episodes: number;
}

/** What asks for labels. */
export type TaughtWork = 'training' | 'collection';

export interface TeachView {
  readonly work: TaughtWork;
  /** changes with everything that is shown */
  readonly version: number;
  /** null: nobody waits for a label now */
  readonly question: LabelQuestion | null;
  /** further states that wait */
  readonly waiting: number;
  /** labels given here, and how many of them differ from the policy's choice */
  readonly given: number;
  readonly corrected: number;
  readonly parts: readonly TaughtPart[];
  /** what the work does now */
  readonly doing: string;
  readonly isOver: boolean;
  /** PNG files as data URLs, by name */
  readonly pictures: Readonly<Record<string, string>>;
}

export type TeachOrder =
  /** the view, once its version is another than this one */
  | { readonly kind: 'show'; readonly unlike: number | null }
  | { readonly kind: 'label'; readonly id: number; readonly command: string };

export type TeachAnswer = { readonly view: TeachView } | { readonly fault: string };

/** Answers an order. */
export type TeachPlace = (order: TeachOrder) => Promise<TeachAnswer>;
