/**
 * A game as data: states that never change, and functions from one to the next. Whoever holds a state can go on from it at any time;
 * chance is drawn from the generator that is passed in, in the order that the rules tell.
 */
import type { Fact, Frame, NumberArray } from '@emac/core';
import type { Look } from './answers.ts';

/** What the rules draw with: numpy's generator, or one that an enumeration feeds. */
export interface Draws {
  /** uniform over low … high − 1 */
  integers(low: number, high: number): number;
  /** uniform in [0, 1) */
  random(): number;
}

export type Facts = Readonly<Record<string, Fact>>;

export interface Outcome<State> {
  readonly state: State;
  readonly reward: number;
  /** the game is over */
  readonly terminated: boolean;
  /** it is cut off by its limit, and would have gone on */
  readonly truncated: boolean;
  /** the goal of the game is reached */
  readonly won: boolean;
}

export interface Game<State> {
  /** as published, e.g. `gym_cards/NumberLine-v0` */
  readonly id: string;
  /** words of the actions, by number */
  readonly actions: readonly string[];
  deal(draws: Draws): State;
  /** `action`: its number; it is there */
  act(state: State, action: number, draws: Draws): Outcome<State>;
  /** under the published names; what a player must not see is under `private` */
  facts(state: State): Facts;
  /** in words, for language models that see no pictures */
  text(state: State): string;
  arrays(state: State): Readonly<Record<string, NumberArray>>;
  /** 300 × 300 pixels */
  frame(state: State): Frame;
  /** what a vision-language model is asked, without the picture */
  prompt(state: State, options?: PromptOptions): string;
  /** a best action by what the player sees, and by the rules without `compat` */
  expert(state: State): number;
  /** what a player answers with who sees right */
  look(state: State): Look;
}

export interface PromptOptions {
  /** asks for the action alone, without thoughts; default false */
  readonly actionOnly?: boolean;
}
