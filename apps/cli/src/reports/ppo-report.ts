/** Report of a reinforcement-learning run, and the next command. */
import type { FinishedPpo } from '@emac/experiment';
import { isEnvironmentModule } from '@emac/settings';
import { counted } from '../terminal/amounts.ts';
import { returnText } from './comparison-report.ts';
import { stepsText, successText } from './evaluation-report.ts';
import { table } from '../terminal/table.ts';

/** The folder, and the numbers before and after. */
export function ppoReport({ folder, config, before, after, outcome }: FinishedPpo): string {
  const rows = [
    ['success', successText(before), successText(after)],
    ['mean return ± 95 %', returnText(before ?? {}), returnText(after ?? {})],
    ['mean steps', stepsText(before), stepsText(after)],
  ];
  const { episodes, temperature } = config.evaluation;
  const how = temperature === 0 ? 'greedy' : `answers sampled at temperature ${temperature}`;
  return [
    `run: ${folder}`,
    ...(episodes > 0
      ? [
          table(['', 'before', 'after'], rows),
          `${config.env}, ${counted(after?.tasks ?? episodes, 'held-out task')}, ${how}; success = ${successOf(config.env)}`,
        ]
      : []),
    `training: ${[
      counted(outcome.environmentSteps, 'step'),
      counted(outcome.update, 'update'),
      counted(outcome.episodes, 'episode'),
    ].join(', ')}`,
  ].join('\n');
}

/** What counts as success, in a few words. */
export function successOf(env: string): string {
  return isEnvironmentModule(env) ? 'won' : 'return > 0';
}
