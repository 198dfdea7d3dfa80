/**
 * A game as data: immutable states, and functions between them. Play can continue from any state at any time; the given
 * generator makes all draws, in the order of the rules.
 */
import type { Fact, Frame, NumberArray } from '@emac/core';
import type { Look } from './answers.ts';

/** The rules' source of draws: numpy's generator, or an enumeration. */
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
  /** it was stopped by its limit */
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
  /** under the published names; facts hidden from the player are under `private` */
  facts(state: State): Facts;
  /** in words, for language models that see no pictures */
  text(state: State): string;
  arrays(state: State): Readonly<Record<string, NumberArray>>;
  /** 300 × 300 pixels */
  frame(state: State): Frame;
  /** the prompt of a vision-language model, without the picture */
  prompt(state: State, options?: PromptOptions): string;
  /** a best action from the player's view, by the rules without `compat` */
  expert(state: State): number;
  /** the content of a perfect player's answer */
  look(state: State): Look;
}

export interface PromptOptions {
  /** asks for the action alone, without thoughts; default false */
  readonly actionOnly?: boolean;
}
