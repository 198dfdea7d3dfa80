/**
 * The prompts of vision-language models, verbatim from RL4VLM/RL4VLM at b989b57 (VLM_PPO/a2c_ppo_acktr/rl_utils.py),
 * including odd braces, missing commas and `thee four cards`. The picture goes before it.
 */
import type { PromptOptions } from './game.ts';
import type { PointsRules } from './points-rules.ts';
import type { Token } from './formula/token.ts';

const format = 'Your response should be a valid json file in the following format: ';

export function numberLinePrompt({ actionOnly = false }: PromptOptions = {}): string {
  const read =
    '"current number": "x", \n"target number": "x", \n"thoughts": "{first read out the current and target number, then think carefully about which action to choose}", \n';
  return `You are playing a game called number line. You will see a target number and a current number in the image. And your goal is to move the current number closer to the target by choosing either adding or subtracting one to the current number. ${format}\n{\n ${actionOnly ? '' : read}"action": "-" or "+" \n}`;
}

export function blackjackPrompt({ actionOnly = false }: PromptOptions = {}): string {
  const thoughts =
    '"thoughts": "{first describe your total points and the dealer\'s total points then think about which action to choose}", \n';
  return `You are a blackjack player. You are observing the current game state, you can choose between ['stand', 'hit']. ${format}\n{\n ${actionOnly ? '' : thoughts}"action": "stand" or "hit" \n}`;
}

/** For face cards of 11 to 13, without a published prompt, choices and note say so. */
export function pointsPrompt(
  rules: PointsRules,
  formula: readonly Token[],
  { actionOnly = false }: PromptOptions = {},
): string {
  const { target, highest, operators } = rules;
  const written = formula.join('');
  const numbers = Array.from({ length: highest }, (_, place) => String(place + 1));
  const choices = [...numbers, ...operators].map((each) => `'${each}'`).join(', ');
  const note = highest === 10 ? "'10'" : "'11', '12', and '13'";
  const { opening, cards, isDone } = target === 12 ? ezPoints : points24;
  const read = ` "cards": [${cards}], \n"current formula": ${written}, \n"thoughts": {First check whether the current formula ${isDone}. If the current formula ${isDone}, output '='. Otherwise consider which number or operator should be appended to the current formula to make it equal ${target}.} \n`;
  return `${opening} You are observing the current formula: ${written}. You can choose between [${choices}]. The number or operator you choose will be appended to the current formula. Note that 'J', 'Q', and 'K' count as ${note}. Your goal is to output a formula that evaluates to ${target}, and each number can only be used once. ${format}\\{\n${actionOnly ? '' : read}"action": "{number}" or "{operator}" \n \\}`;
}

const ezPoints = {
  opening: 'You are an expert card game player. You are observing two cards in the image.',
  cards: 'x, y',
  isDone: "'z' is complete",
};

const points24 = {
  opening: 'You are an expert 24 points card game player. You are observing thee four cards in the image.',
  cards: 'x, y, z, w',
  isDone: 'equals 24',
};
