/** What came of a run, and what to type next. */
import type { MetricsLine } from '@emac/trainer';
import { nothing, stepsText, successText } from './evaluation-table.ts';
import { leftOutTexts } from './offline-left-out.ts';
import type { Outcome } from './run-phase.ts';
import { counted } from './stopwatch.ts';
import { table } from './table.ts';
import { trainOptions } from './train-options.ts';
import { heldOutSuite, type TrainingPlan } from './training-plan.ts';

export interface Reported {
  readonly plan: Pick<TrainingPlan, 'values' | 'heldOut' | 'games' | 'offline'>;
  readonly folder: string;
  readonly outcome: Outcome;
}

/** The folder, the numbers before and after, the next command. */
export function trainingReport({ plan, folder, outcome }: Reported): string {
  const { before, after, firstProbe, lastProbe, lastRound } = outcome;
  const { values, heldOut, offline } = plan;
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
    ...solvedText(plan, lastRound),
    ...(offline ? leftOutTexts(offline.leftOut, offline.lengths) : []),
    `next: ${nextCommand(values, folder)}`,
  ].join('\n');
}

/** What papers report as success: games of the training list that were won in one round or another. */
function solvedText({ games }: Pick<TrainingPlan, 'games'>, lastRound: MetricsLine | null): string[] {
  if (games.length === 0 || lastRound === null) return [];
  const rounds = counted(Number(lastRound.round) + 1, 'round');
  return [`training games solved in any of ${rounds}: ${lastRound['solved']} of ${games.length}`];
}

function nextCommand(
  { phase, model }: Pick<TrainingPlan['values'], 'phase' | 'model'>,
  folder: string,
): string {
  const policy =
    phase === 'bc' ? `train --phase dpo --ref ${shellWord(folder)}` : `eval --ckpt ${shellWord(folder)}`;
  return `npx emac ${policy}${model === trainOptions.model.default ? '' : ` --model ${shellWord(model)}`}`;
}

/** A path as a shell reads it. */
export function shellWord(path: string): string {
  return /^[\w./@-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`;
}

function measure(line: MetricsLine | null, name: string): string {
  const value = line?.[name];
  // rounding noise below 0 is no minus
  return typeof value === 'number' ? value.toFixed(4).replace(/^-(?=[0.]+$)/, '') : nothing;
}
