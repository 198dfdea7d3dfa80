/** Report of a reinforcement-learning run, and the next command. */
import { heldOutNoun, type FinishedPpo, type PpoEvaluation } from '@emac/experiment';
import { isEnvironmentModule } from '@emac/settings';
import { counted } from '../terminal/amounts.ts';
import { nothing, stepsText, successText } from './evaluation-report.ts';
import { table } from '../terminal/table.ts';

/** The folder, and the numbers before and after. */
export function ppoReport({ folder, config, before, after, outcome }: FinishedPpo): string {
  const rows = [
    ['success', successText(before), successText(after)],
    ['mean return', returnText(before), returnText(after)],
    ['mean steps', stepsText(before), stepsText(after)],
  ];
  const { episodes, temperature } = config.evaluation;
  const how = temperature === 0 ? 'greedy' : `answers sampled at temperature ${temperature}`;
  return [
    `run: ${folder}`,
    ...(episodes > 0
      ? [
          table(['', 'before', 'after'], rows),
          `${config.env}, ${counted(episodes, 'episode')} with held-out ${heldOutNoun(config.env)}, ${how}; success = ${successOf(config.env)}`,
        ]
      : []),
    `training: ${[
      counted(outcome.environmentSteps, 'step'),
      counted(outcome.update, 'update'),
      counted(outcome.episodes, 'episode'),
    ].join(', ')}`,
  ].join('\n');
}

/** With its standard error. */
function returnText(result: PpoEvaluation | null): string {
  if (result === null) return nothing;
  return `${number(result.mean_return)} ± ${number(result.standard_error)}`;
}

/** Rounding noise below 0 gets no minus. */
function number(value: number): string {
  return value.toFixed(4).replace(/^-(?=[0.]+$)/, '');
}

/** What counts as success, in a few words. */
export function successOf(env: string): string {
  return isEnvironmentModule(env) ? 'won' : 'return > 0';
}
