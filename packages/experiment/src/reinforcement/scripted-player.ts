/** A scripted player of the environments that come with this product: the best action, and what a player answers who sees right. */
import type { StepEnvironment } from '@emac/core';
import { makeGymCards } from '@emac/gym-cards';
import {
  miniGrid,
  miniGridAnswer,
  miniGridPrompt,
  offeredActions,
  solve,
  type Palette,
} from '@emac/minigrid';

export interface ScriptedPlayer {
  readonly environment: StepEnvironment;
  /** the actions that the prompt offers, by number */
  readonly offered: readonly number[];
  /** whether the action alone can be asked for */
  readonly asksActionOnly: boolean;
  /** the best of the offered actions; from where no way leads to the end of the game the first */
  expert(): number;
  /** what a vision-language model is asked now */
  prompt(form: Pick<AnswerForm, 'actionOnly'>): string;
  /** the JSON that takes this action now */
  answer(action: number, form: AnswerForm): string;
}

export interface AnswerForm {
  /** thoughts go on to what follows from what is seen */
  readonly concludes: boolean;
  /** where that can be asked for: without thoughts */
  readonly actionOnly: boolean;
}

export interface ScriptedPlayerOptions {
  /** steps after which an episode is cut off; null for the environment's own limit */
  readonly maxSteps: number | null;
  /** MiniGrid */
  readonly palette: Palette;
}

/** Errors: `usage` for an id that is none, and for a MiniGrid level without a published prompt under its palette. */
export function scriptedPlayer(id: string, options: ScriptedPlayerOptions): ScriptedPlayer {
  return id.startsWith('MiniGrid-') ? gridPlayer(id, options) : cardPlayer(id, options);
}

function cardPlayer(id: string, { maxSteps }: ScriptedPlayerOptions): ScriptedPlayer {
  const environment = makeGymCards(id, maxSteps === null ? {} : { maxSteps });
  return {
    environment,
    offered: [...environment.actions.keys()],
    asksActionOnly: true,
    expert: () => environment.expert(),
    prompt: (form) => environment.prompt(form),
    answer: (action, form) => environment.answer(action, form),
  };
}

function gridPlayer(id: string, { maxSteps, palette }: ScriptedPlayerOptions): ScriptedPlayer {
  const environment = miniGrid(id, { palette, ...(maxSteps !== null && { maxSteps }) });
  const offered = offeredActions(id);
  return {
    environment,
    offered,
    asksActionOnly: false,
    expert: () => solve(environment)?.[0] ?? offered[0]!,
    prompt: () => miniGridPrompt(environment, { palette }),
    answer: (action, { concludes }) => miniGridAnswer(environment, action, { concludes }),
  };
}
