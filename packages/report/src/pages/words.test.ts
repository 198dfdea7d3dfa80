import type { RunView } from '@emac/pages/data';
import type { EvaluationResult } from '@emac/rollout';
import { describe, expect, it } from 'vitest';

import { wordsOf } from './words.ts';

const none = { success: null, success_ci95: null, mean_steps: null, by_type: {} };

function wordsOfResult(passes: object): string[] {
  const half = { games: 2, success: 0.5, success_ci95: [0.1, 0.9], mean_steps: 9, by_type: {}, ...passes };
  const evaluations = [{ name: 'result', result: { ...half, seen: none } as unknown as EvaluationResult }];
  const view = { config: null, method: null, evaluations, answers: null, episodes: [], state: null };
  return wordsOf(view as unknown as RunView);
}

describe('the sentence on the success of an evaluation', () => {
  it('says how many attempts each game had', () => {
    const ci95 = [0.1, 0.9];
    const passes = [1, 2, 3].map((k) => ({ k, rate: 0.5, ci95 }));
    expect(wordsOfResult({ pass_at: passes }).join()).toContain(', 3 attempts at each game.');
    expect(wordsOfResult({}).join()).toContain(', one attempt at each game.');
  });
});
