import { describe, expect, it } from 'vitest';
import { scoreCandidates, yesProbability } from '../scores.ts';
import {
  consistencyReward,
  listenerFormatReward,
  readListenerAnswer,
  verdictOf,
  weightedReward,
} from './listener.ts';
import { overlapReward, rouge2 } from './overlap.ts';
import { accuracyReward, formatReward, lengthReward, sentencesOf } from './speaker.ts';

describe('scores of candidates', () => {
  it.each([
    [[0.9, 0.2, 0.1], 0, 0.75],
    [[0.2, 0.1, 0.05], 0, 0.285714], // 0.571429, halved below 0.3
    [[0.3, 0.3, 0], 0, 0.5], // the first of two
    [[0.99, 0.98, 0.97], 0, 0.336735],
    [[0, 0, 0], 0, 0],
    [[0.1, 0.8], 1, 0.888889],
    [[], -1, 0],
  ])('%j choose %d with %d', (probabilities, predicted, score) => {
    const found = scoreCandidates(probabilities);
    expect(found.predicted).toBe(predicted);
    expect(found.rewardScore).toBeCloseTo(score, 6);
  });

  it('are probabilities of yes against no', () => {
    expect(yesProbability(1, 1)).toBe(0.5);
    // 1 / (1 + e^−2)
    expect(yesProbability(3, 1)).toBeCloseTo(0.880797, 6);
    expect([yesProbability(800, -800), yesProbability(-800, 800)]).toEqual([1, 0]);
  });
});

describe('the speaker’s rewards', () => {
  it('for accuracy: the candidate, or how clearly it was chosen', () => {
    const scores = scoreCandidates([0.9, 0.2, 0.1]);
    expect([accuracyReward(scores, 0), accuracyReward(scores, 1)]).toEqual([1, 0]);
    expect([accuracyReward(scores, 0, 'soft_gated'), accuracyReward(scores, 1, 'soft_gated')]).toEqual([
      scores.rewardScore,
      0,
    ]);
    expect(accuracyReward(scores, 2, 'soft_always')).toBe(scores.rewardScore);
    expect(scores.rewardScore).toBeCloseTo(0.75, 12);
  });

  it('for the format: all tags, or a share for each', () => {
    const [thinking, coarse, detailed] = [
      '<thinking>a</thinking>',
      '<coarse>b</coarse>',
      '<detailed>c</detailed>',
    ];
    expect(formatReward(thinking + coarse + detailed)).toBe(1);
    expect(formatReward(thinking + coarse + '<detailed>c')).toBe(0);
    expect(formatReward(thinking + coarse + detailed, 'each')).toBe(1);
    expect(formatReward(thinking + coarse, 'each')).toBe(0.67);
    expect(formatReward(coarse + detailed, 'each')).toBe(0.66);
    expect(formatReward('', 'each')).toBe(0);
  });

  it('for the length: one sentence; or words of both parts', () => {
    // 20 words
    const long =
      'The dog has fluffy golden fur all over, a black nose, brown eyes and a red collar with small bells.';
    const six = 'A photo of a golden retriever'; // 6 words
    expect(long.split(' ')).toHaveLength(20);
    expect(lengthReward({ coarse: '', detailed: long })).toBe(0.1);
    expect(lengthReward({ coarse: '', detailed: 'The dog. It barks.' })).toBe(0);
    expect(lengthReward({ coarse: '', detailed: '' })).toBe(0);
    expect(lengthReward({ coarse: six, detailed: long }, 'words')).toBe(0);
    expect(lengthReward({ coarse: 'A photo of a dog', detailed: long }, 'words')).toBe(-0.1);
    expect(lengthReward({ coarse: six, detailed: long.replace(' small', '') }, 'words')).toBe(-0.2);
    expect(lengthReward({ coarse: six, detailed: `${long} ${long}` }, 'words')).toBe(-0.2);
    expect(lengthReward({ coarse: '', detailed: '' }, 'words')).toBe(-0.3);
  });

  it('count sentences, not full stops', () => {
    expect(sentencesOf('It is 2.5 cm wide. Is it? Yes!')).toEqual(['It is 2.5 cm wide', 'Is it', 'Yes']);
  });

  it('for overlap: the largest share a sentence has in common with state and place', () => {
    const read = (detailed: string, state: string, location: string) =>
      overlapReward({ thinking: '', coarse: '', text: '', detailed, state, location });
    // without stop words: dog sitting on wooden bench (4 pairs), sitting on wooden bench (3 pairs), 3 common: 2 · 3 /
    // (4 + 3) = 0.857143
    expect(read('It is old. The dog is sitting on a wooden bench.', 'sitting', 'on the wooden bench')).toBe(
      -0.8571,
    );
    expect(read('The dog has golden fur.', 'sitting', 'on the bench')).toBe(0);
    expect(read('The dog has golden fur.', '', '')).toBe(0);
    // a repeated pair matches once
    expect(rouge2(['a', 'b', 'a', 'b'], ['a', 'b'])).toBeCloseTo(0.5, 12);
  });
});

describe('the listener’s rewards', () => {
  const said = (answer: string) => `Hm.\n\`\`\`json\n{"Reasoning": "fur", "Answer": "${answer}"}\n\`\`\``;

  it('read the JSON between its fences', () => {
    expect(readListenerAnswer(said('Yes.'))).toEqual({ reasoning: 'fur', verdict: 'yes' });
    for (const text of [
      'yes',
      '{"Reasoning": "", "Answer": "yes"}',
      said('maybe'),
      '```json\n{"Answer": "yes"}\n```',
      '```json\n{]\n```',
      '```json\nnull\n```',
    ])
      expect([readListenerAnswer(text), listenerFormatReward(text), weightedReward(text, 'yes')]).toEqual([
        null,
        0,
        0,
      ]);
    expect(['Y', 'true', '1'].map(verdictOf)).toEqual(['yes', 'yes', 'yes']);
    expect(['n', 'False', '0', 'none'].map(verdictOf)).toEqual(['no', 'no', 'no', null]);
  });

  it('weigh a wrong yes more than a wrong no', () => {
    expect([weightedReward(said('yes'), 'yes'), weightedReward(said('no'), 'no')]).toEqual([1, 1]);
    expect([weightedReward(said('yes'), 'no'), weightedReward(said('no'), 'yes')]).toEqual([-1, -0.3]);
    expect([consistencyReward(said('no'), 'no'), consistencyReward(said('no'), 'yes')]).toEqual([1, 0]);
    expect(listenerFormatReward(said('no'))).toBe(1);
  });
});
