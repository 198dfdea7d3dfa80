import type { MetricsLine } from '@emac/trainer';
import { describe, expect, it } from 'vitest';
import type { TrainingPlan } from './training-plan.ts';
import { trainingReport } from './training-report.ts';

const outcome = { before: null, after: null, firstProbe: null, lastProbe: null, lastRound: null };

function nextOf(values: { readonly phase: 'bc' | 'dpo'; readonly model: string }): string {
  const plan = { values: values as TrainingPlan['values'], heldOut: [], games: [], offline: null };
  return trainingReport({ plan, folder: 'runs/a', outcome }).split('\n').at(-1)!;
}

describe('the command that a report ends with', () => {
  it('goes on from the phase that is done', () => {
    expect(nextOf({ phase: 'bc', model: 'emma-tiny' })).toBe('next: npx emac train --phase dpo --ref runs/a');
    expect(nextOf({ phase: 'dpo', model: 'emma-tiny' })).toBe('next: npx emac eval --ckpt runs/a');
  });

  it('names the model that the run used, unless it is the default one', () => {
    const next = nextOf({ phase: 'bc', model: '/models/my model' });
    expect(next).toBe("next: npx emac train --phase dpo --ref runs/a --model '/models/my model'");
  });
});

it('shows what rounds to 0 without a minus', () => {
  const values = { phase: 'dpo', model: 'emma-tiny' } as TrainingPlan['values'];
  const margins = (margin: number) => ({ kind: 'probe', margin }) as unknown as MetricsLine;
  const probes = { firstProbe: margins(-4e-9), lastProbe: margins(-0.00011) };
  const plan = { values, heldOut: [], games: [] };
  const report = trainingReport({ plan, folder: 'runs/a', outcome: { ...outcome, ...probes } });
  expect(report).toMatch(/mean margin W − L │ +0\.0000 │ +-0\.0001 │/);
});
