/** The published texts; `\\` is one backslash. */
import { describe, expect, it } from 'vitest';
import { blackjack } from './blackjack.ts';
import { numberLine } from './number-line.ts';
import { ezPoints, points24 } from './points.ts';
import type { Token } from './formula/token.ts';

const line = numberLine();
const lineState = { target: 1, current: 2, steps: 0 };
const jack = blackjack();
const hands = { dealer: [], player: [] };
const points = (formula: readonly Token[]) => ({ cards: [], numbers: [], formula });

describe('prompts', () => {
  it('of NumberLine', () => {
    const start =
      'You are playing a game called number line. You will see a target number and a current number in the image. And your goal is to move the current number closer to the target by choosing either adding or subtracting one to the current number. Your response should be a valid json file in the following format: \n{\n ';
    expect(line.prompt(lineState)).toBe(
      `${start}"current number": "x", \n"target number": "x", \n"thoughts": "{first read out the current and target number, then think carefully about which action to choose}", \n"action": "-" or "+" \n}`,
    );
    expect(line.prompt(lineState, { actionOnly: true })).toBe(`${start}"action": "-" or "+" \n}`);
  });

  it('of Blackjack', () => {
    const start =
      "You are a blackjack player. You are observing the current game state, you can choose between ['stand', 'hit']. Your response should be a valid json file in the following format: \n{\n ";
    expect(jack.prompt(hands)).toBe(
      `${start}"thoughts": "{first describe your total points and the dealer's total points then think about which action to choose}", \n"action": "stand" or "hit" \n}`,
    );
    expect(jack.prompt(hands, { actionOnly: true })).toBe(`${start}"action": "stand" or "hit" \n}`);
  });

  it('of EZPoints', () => {
    const prompt = ezPoints().prompt(points([]));
    expect(prompt).toBe(
      `You are an expert card game player. You are observing two cards in the image. You are observing the current formula: . You can choose between ['1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '+', '*', '=']. The number or operator you choose will be appended to the current formula. Note that 'J', 'Q', and 'K' count as '10'. Your goal is to output a formula that evaluates to 12, and each number can only be used once. Your response should be a valid json file in the following format: \\{\n "cards": [x, y], \n"current formula": , \n"thoughts": {First check whether the current formula 'z' is complete. If the current formula 'z' is complete, output '='. Otherwise consider which number or operator should be appended to the current formula to make it equal 12.} \n"action": "{number}" or "{operator}" \n \\}`,
    );
    const [start] = prompt.split(' "cards"');
    expect(ezPoints().prompt(points([]), { actionOnly: true })).toBe(
      `${start}"action": "{number}" or "{operator}" \n \\}`,
    );
  });

  it('of Points24', () => {
    const prompt = points24().prompt(points([]));
    expect(prompt).toBe(
      `You are an expert 24 points card game player. You are observing thee four cards in the image. You are observing the current formula: . You can choose between ['1', '2', '3', '4', '5', '6', '7', '8', '9', '10', '+', '-', '*', '/', '(', ')', '=']. The number or operator you choose will be appended to the current formula. Note that 'J', 'Q', and 'K' count as '10'. Your goal is to output a formula that evaluates to 24, and each number can only be used once. Your response should be a valid json file in the following format: \\{\n "cards": [x, y, z, w], \n"current formula": , \n"thoughts": {First check whether the current formula equals 24. If the current formula equals 24, output '='. Otherwise consider which number or operator should be appended to the current formula to make it equal 24.} \n"action": "{number}" or "{operator}" \n \\}`,
    );
    expect(points24({ faceCardsAre10: false }).prompt(points([]))).toContain(
      "'10', '11', '12', '13', '+', '-', '*', '/', '(', ')', '=']. The number or operator you choose will be appended to the current formula. Note that 'J', 'Q', and 'K' count as '11', '12', and '13'.",
    );
  });

  it('hold the formula of the step, its tokens joined', () => {
    const prompt = points24().prompt(points(['(', 10, ' ', '-', 4]));
    expect(prompt).toContain('You are observing the current formula: (10 -4. You can');
    expect(prompt).toContain('"current formula": (10 -4, \n');
  });
});
