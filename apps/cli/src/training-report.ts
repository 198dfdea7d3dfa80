/** What came of a run, and what to type next. */
import type { MetricsLine } from '@emac/trainer';
import { nothing, stepsText, successText } from './evaluation-table.ts';
import type { Outcome } from './run-training.ts';
import { counted } from './stopwatch.ts';
import { table } from './table.ts';
import { heldOutSuite, type TrainingPlan } from './training-plan.ts';

export interface Reported {
  readonly plan: Pick<TrainingPlan, 'values' | 'heldOut'>;
  readonly folder: string;
  readonly outcome: Outcome;
}

/** The folder, the numbers before and after, the next command. */
export function trainingReport({ plan, folder, outcome }: Reported): string {
  const { before, after, firstProbe, lastProbe } = outcome;
  const { values, heldOut } = plan;
  const isPreference = values.phase === 'dpo';
  const rows = [
    ['success', successText(before), successText(after)],
    ['mean steps', stepsText(before), stepsText(after)],
    ['probe loss', measure(firstProbe, 'loss'), measure(lastProbe, 'loss')],
    ...(isPreference
      ? [['mean margin W − L', measure(firstProbe, 'margin'), measure(lastProbe, 'margin')]]
      : []),
  ];
  const played =
    heldOut.length > 0 ? [`success and steps on ${counted(heldOut.length, 'game')} of ${heldOutSuite}`] : [];
  return [
    `run: ${folder}`,
    table(['', 'before', 'after'], rows),
    ...played,
    `next: ${nextCommand(values.phase, folder)}`,
  ].join('\n');
}

function nextCommand(phase: 'bc' | 'dpo', folder: string): string {
  const place = /^[\w./@-]+$/.test(folder) ? folder : `'${folder.replaceAll("'", `'\\''`)}'`;
  return phase === 'bc' ? `npx emac train --phase dpo --ref ${place}` : `npx emac eval --ckpt ${place}`;
}

function measure(line: MetricsLine | null, name: string): string {
  const value = line?.[name];
  return typeof value === 'number' ? value.toFixed(4) : nothing;
}
