/** Prompts from what a game shows, for those who kept that and not the game: a step's prompt is asked for again when it is learned from. */
import { EmacError, type NumberArray } from '@emac/core';
import type { Token } from './formula/token.ts';
import type { PromptOptions } from './game.ts';
import { ezPointsRules, points24Rules, tokensOf, type PointsRules } from './points-rules.ts';
import { blackjackPrompt, numberLinePrompt, pointsPrompt } from './prompts.ts';

type Arrays = Readonly<Record<string, NumberArray>>;
type Make = (arrays: Arrays, options: PromptOptions | undefined) => string;

const games = new Map<string, Make>([
  ['gym_cards/NumberLine-v0', (_, options) => numberLinePrompt(options)],
  ['gym_cards/Blackjack-v0', (_, options) => blackjackPrompt(options)],
  ['gym_cards/EZPoints-v0', ofPoints(ezPointsRules)],
  ['gym_cards/Points24-v0', ofPoints(points24Rules(true))],
]);

/** The same as the game's own `prompt` when it showed these arrays, face cards counting 10. Errors: `usage` for an id that is none. */
export function promptOfSeen(id: string, arrays: Arrays, options?: PromptOptions): string {
  const make = games.get(id);
  if (!make) throw new EmacError('usage', `gym-cards: has ${[...games.keys()].join(', ')}, got ${id}`);
  return make(arrays, options);
}

/** What an answer to the prompt has before its thoughts: as the game's own `answer` when it showed these arrays. */
export function fieldsOfSeen(
  id: string,
  arrays: Arrays,
): Readonly<Record<string, string | readonly number[]>> {
  return fields.get(id)?.(arrays) ?? {};
}

const fields = new Map<string, (arrays: Arrays) => ReturnType<typeof fieldsOfSeen>>([
  [
    'gym_cards/NumberLine-v0',
    ({ numbers }) => {
      const [target, current] = numbers!.data;
      return { 'current number': String(current), 'target number': String(target) };
    },
  ],
  ['gym_cards/EZPoints-v0', fieldsOfPoints(ezPointsRules)],
  ['gym_cards/Points24-v0', fieldsOfPoints(points24Rules(true))],
]);

function fieldsOfPoints(rules: PointsRules) {
  const tokens = tokensOf(rules);
  return ({ numbers, formula }: Arrays) => ({
    cards: [...numbers!.data],
    'current formula': formulaIn(formula!, tokens).join(''),
  });
}

function ofPoints(rules: PointsRules): Make {
  return ({ formula }, options) => pointsPrompt(rules, formulaIn(formula!, tokensOf(rules)), options);
}

/** Each number is that of its token from 1 on, one more than all for a blank, 0 behind the end. */
function formulaIn({ data }: NumberArray, tokens: readonly Token[]): Token[] {
  return Array.from(data)
    .filter((number) => number > 0)
    .map((number) => tokens[number - 1] ?? ' ');
}
