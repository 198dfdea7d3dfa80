/** The games that rl-tiny is shown, behind one form: an expert, prompts, and answers of a player who sees right. */
import type { StepEnvironment } from '@emac/core';
import { makeGymCards } from '@emac/gym-cards';
import { miniGrid, miniGridAnswer, miniGridPrompt, offeredActions, solve } from '@emac/minigrid';

export interface Game {
  readonly environment: StepEnvironment;
  /** those that the prompt offers, by number */
  readonly offered: readonly number[];
  /** whether the action alone can be asked for */
  readonly asksActionOnly: boolean;
  expert(): number;
  prompt(options: Pick<AnswerForm, 'actionOnly'>): string;
  /** the JSON that takes this action now */
  answer(action: number, form: AnswerForm): string;
}

export interface AnswerForm {
  /** thoughts go on to what follows from what is seen */
  readonly concludes: boolean;
  readonly actionOnly: boolean;
}

export function openGame(id: string): Game {
  return id.startsWith('MiniGrid-') ? gridGame(id) : cardGame(id);
}

function cardGame(id: string): Game {
  const environment = makeGymCards(id);
  return {
    environment,
    offered: environment.actions.map((_, action) => action),
    asksActionOnly: true,
    expert: () => environment.expert(),
    prompt: (options) => environment.prompt(options),
    answer: (action, form) => environment.answer(action, form),
  };
}

function gridGame(id: string): Game {
  const environment = miniGrid(id);
  return {
    environment,
    offered: offeredActions(id),
    asksActionOnly: false,
    expert: () => solve(environment)![0]!,
    prompt: () => miniGridPrompt(environment),
    answer: (action, form) => miniGridAnswer(environment, action, form),
  };
}
