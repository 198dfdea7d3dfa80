/**
 * Prompts from a game's arrays, for callers that keep only those: a step's prompt is needed again when it is learned
 * from.
 */
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

/** Equals the game's own `prompt` at these arrays, with face cards as 10. Errors: `usage` for an unknown id. */
export function promptOfSeen(id: string, arrays: Arrays, options?: PromptOptions): string {
  const make = games.get(id);
  if (!make) throw new EmacError('usage', `gym-cards: has ${[...games.keys()].join(', ')}, got ${id}`);
  return make(arrays, options);
}

/** The fields before the thoughts in an answer, equal to those of the game's own `answer` at these arrays. */
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

/** Each number is its token's plus 1, the largest plus 1 for a blank, 0 after the end. */
function formulaIn({ data }: NumberArray, tokens: readonly Token[]): Token[] {
  return Array.from(data)
    .filter((number) => number > 0)
    .map((number) => tokens[number - 1] ?? ' ');
}
