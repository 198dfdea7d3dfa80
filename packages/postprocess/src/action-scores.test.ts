import { describe, expect, it } from 'vitest';
import { actionScores, scoreProbabilities } from './action-scores.ts';

const actions = ['turn left', 'move forward', 'toggle'];

describe('scores of actions', () => {
  it.each([
    [
      '{"thoughts": "a door", "action_scores": {"turn left": 1, "move forward": 2.5, "toggle": 5}}',
      [1, 2.5, 5],
    ],
    ['```json\n{"action_scores": {"Toggle": 5, "Turn left": 2}}\n```', [2, 0, 5]],
    ['I see. {"action_scores": {"toggle": 3, "drop": 5}} That is all.', [0, 0, 3]],
  ])('are read from %s', (text, scores) => {
    expect(actionScores(text, actions)).toEqual(scores);
  });

  it.each([
    'toggle',
    '{"action": "toggle"}',
    '{"action_scores": {}}',
    '{"action_scores": {"drop": 5}}',
    '{"action_scores": 5}',
    '{"action_scores": null}',
    '{"action_scores": {"toggle": "high"}}',
    '{"action_scores": {"toggle": null}}',
    '{"action_scores": {"toggle": 1e999}}',
    '{"action_scores": {"toggle": 5, }',
  ])('are null for %s', (text) => {
    expect(actionScores(text, actions)).toBeNull();
  });

  it('give probabilities in proportion to e^(score / 2)', () => {
    // 2 ln 3 = 2.197225: e^(score / 2) of 0, 2.197225, 4.394449 are 1, 3, 9
    const found = scoreProbabilities([0, 2 * Math.log(3), 2 * Math.log(9)]);
    [1 / 13, 3 / 13, 9 / 13].forEach((share, place) => expect(found[place]).toBeCloseTo(share, 12));
    expect(scoreProbabilities([4, 4])).toEqual([0.5, 0.5]);
    expect(scoreProbabilities([1e300, 0])).toEqual([1, 0]);
  });
});
