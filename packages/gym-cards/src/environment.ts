/** The games behind the contract of environments that are stepped by number; all draw from numpy's generator. */
import { EmacError, invariant, type Info, type Seed, type StepEnvironment } from '@emac/core';
import { NumpyRandom, type NumpyRandomState } from '@emac/numpy-random';
import { answerText, type AnswerOptions } from './answers.ts';
import type { Facts, Game, PromptOptions } from './game.ts';

/** The whole state, as plain data. */
export interface CardGameState {
  readonly id: string;
  readonly random: NumpyRandomState;
  readonly game: unknown;
  /** actions taken in this episode */
  readonly steps: number;
}

/** After its end an episode continues by the same rules, as published; the caller resets it. */
export interface CardGame extends StepEnvironment<CardGameState> {
  /** the current prompt of a vision-language model, without the picture */
  prompt(options?: PromptOptions): string;
  /** a best action now, from the player's view and the rules without `compat` */
  expert(): number;
  /** a perfect player's answer with an action; errors: `usage` for an invalid number */
  answer(action: number, options?: AnswerOptions): string;
}

interface Situation<State> {
  readonly state: State;
  readonly steps: number;
  readonly random: NumpyRandom;
}

/** A game to play; `maxSteps`: step limit of an episode. */
export function cardGame<State>(game: Game<State>, maxSteps: number): CardGame {
  const { id, actions } = game;
  let now: Situation<State> | null = null;
  const begun = (): Situation<State> => {
    invariant(now, `${id}: must be reset first`);
    return now;
  };
  const state = (): State => begun().state;
  return {
    id,
    actions,
    reset(seed) {
      const random = generatorOf(seed, now?.random, id);
      now = { state: game.deal(random), steps: 0, random };
      return infoOf(game.facts(now.state), false);
    },
    step(action) {
      const { state, steps, random } = begun();
      checkAction(action, game);
      const { state: next, won, ...outcome } = game.act(state, action, random);
      now = { state: next, steps: steps + 1, random };
      const truncated = outcome.truncated || now.steps >= maxSteps;
      return { ...outcome, truncated, info: infoOf(game.facts(next), won) };
    },
    text: () => game.text(state()),
    observe: () => game.arrays(state()),
    frame: () => game.frame(state()),
    prompt: (options) => game.prompt(state(), options),
    expert: () => game.expert(state()),
    answer(action, options) {
      checkAction(action, game);
      return answerText(game.look(state()), actions[action]!, options);
    },
    state() {
      const { state, steps, random } = begun();
      return { id, random: random.state(), game: state, steps };
    },
    restore(saved) {
      if (saved.id !== id)
        throw new EmacError('data', `${id}: the state is of ${saved.id}; give one of this game`);
      now = {
        state: saved.game as State,
        steps: saved.steps,
        random: NumpyRandom.restore(saved.random),
      };
    },
  };
}

function generatorOf(seed: Seed | null, before: NumpyRandom | undefined, id: string): NumpyRandom {
  if (seed !== null) return NumpyRandom.fromSeed(seed);
  invariant(before, `${id}: the first episode needs a seed`);
  return before;
}

function infoOf(facts: Facts, won: boolean): Info {
  return { ...facts, won };
}

function checkAction(action: number, { id, actions }: Pick<Game<never>, 'id' | 'actions'>): void {
  if (!Number.isInteger(action) || action < 0 || action >= actions.length)
    throw new EmacError(
      'usage',
      `${id}: an action is a number from 0 to ${actions.length - 1}, got ${action}`,
    );
}
