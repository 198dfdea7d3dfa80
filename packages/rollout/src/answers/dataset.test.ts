import { describe, expect, it } from 'vitest';
import { summarizeAnswers, type AnsweredSample } from './dataset.ts';

const sample = (answer: string, output: string, more: Partial<AnsweredSample> = {}): AnsweredSample => ({
  answer,
  output,
  taskType: 'pick',
  logProbability: -1,
  tokens: 2,
  ...more,
});

describe('summarizeAnswers', () => {
  it('measures by task type and in all', () => {
    const answered = [
      sample('go to desk 1', 'go to desk 1', { logProbability: -0.5, tokens: 5 }),
      sample('go to desk 2', 'go to desk 1', { logProbability: -2, tokens: 5 }),
      sample('look around here', 'look', { taskType: null }),
    ];
    const { by_task_type: byType, ...all } = summarizeAnswers(answered);
    // words in place: 4, 3 and 1 of 4, 4 and 1; tokens 12; −Σ log p 3.5
    expect(all).toMatchObject({ samples: 3, exact_match: 1 / 3, token_accuracy: 8 / 9, loss: 3.5 / 12 });
    expect(byType['pick']).toMatchObject({
      samples: 2,
      exact_match: 1 / 2,
      token_accuracy: 7 / 8,
      loss: 0.25,
    });
    expect(byType['unknown']).toMatchObject({ samples: 1, exact_match: 0, token_accuracy: 1, loss: 0.5 });
    // 2-grams: 6 of 6 less one, each plus one … computed as in bleu.test.ts
    const pick = (7 / 8) * (6 / 7) * (4 / 5) * (2 / 3);
    expect(byType['pick']!.bleu).toBeCloseTo(pick ** (1 / 4), 12);
  });

  it('has no measures without answers', () => {
    expect(summarizeAnswers([])).toEqual({
      samples: 0,
      exact_match: null,
      token_accuracy: null,
      bleu: null,
      loss: null,
      by_task_type: {},
    });
  });
});
