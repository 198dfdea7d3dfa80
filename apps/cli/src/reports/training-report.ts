/** Report of a run, and the next command. */
import { learnsPairs, type MetricsLine } from '@emac/algorithms';
import { evaluatedGamesText, type FinishedRun } from '@emac/experiment';
import type { EvaluationResult } from '@emac/rollout';
import { heldOutSuite, isEnvironmentModule, usualEnvironment, usualModel } from '@emac/settings';
import { counted } from '../terminal/amounts.ts';
import { nothing, seenSuccessText, stepsText, successText } from './evaluation-report.ts';
import { shellWord } from '../terminal/shell-word.ts';
import { table } from '../terminal/table.ts';

/** The next command after a run in this folder. */
export type NextCommand = (config: Reported['config'], folder: string, hasWonAll: boolean) => string;

/** The folder, the numbers before and after, the next command. */
export function trainingReport(
  { folder, config, outcome, before, after, remarks }: Reported,
  next: NextCommand = nextCommand,
): string {
  const { firstProbe, lastProbe, lastRound, games } = outcome;
  const rows = [
    ...successRows(before, after),
    ['probe loss', measure(firstProbe, 'loss'), measure(lastProbe, 'loss')],
    ...(learnsPairs(config.phase)
      ? [['mean margin W − L', measure(firstProbe, 'margin'), measure(lastProbe, 'margin')]]
      : []),
  ];
  const result = after ?? before;
  const { env = usualEnvironment } = config;
  const source = env === usualEnvironment ? config.evaluation.on : env;
  const played = result ? [`success and steps on ${evaluatedGamesText(result, source)}`] : [];
  return [
    `run: ${folder}`,
    table(['', 'before', 'after'], rows),
    ...played,
    ...solvedText(games, lastRound),
    ...remarks,
    ...withoutPairs(config, lastRound),
    `next: ${next(config, folder, after?.success === 1)}`,
  ].join('\n');
}

export type Reported = Pick<FinishedRun, 'folder' | 'outcome' | 'before' | 'after' | 'remarks'> & {
  readonly config: Pick<FinishedRun['config'], 'phase'> & {
    readonly env?: string;
    readonly preset?: string;
    readonly evaluation: Pick<FinishedRun['config']['evaluation'], 'on'>;
    readonly model: Pick<FinishedRun['config']['model'], 'path'>;
  };
};

/** Games seen in training get rows of their own; without any the rows have no qualifier. */
function successRows(before: EvaluationResult | null, after: EvaluationResult | null): string[][] {
  const games = (after ?? before)?.games ?? [];
  const seen = games.filter((game) => game.seen_in_training).length;
  const rows = [
    ['success', successText(before), successText(after)],
    ['mean steps', stepsText(before), stepsText(after)],
  ];
  const ofSeen = [
    ['success, seen in training', seenSuccessText(before), seenSuccessText(after)],
    ['mean steps, seen in training', stepsText(before?.seen ?? null), stepsText(after?.seen ?? null)],
  ];
  return [...(seen < games.length || seen === 0 ? rows : []), ...(seen > 0 ? ofSeen : [])];
}

/** Success as papers report it: games of the training list won in any round. */
function solvedText(games: number, lastRound: MetricsLine | null): string[] {
  if (games === 0 || lastRound === null) return [];
  const rounds = counted(Number(lastRound.round) + 1, 'round');
  return [`training games solved in any of ${rounds}: ${lastRound['solved']} of ${games}`];
}

/** DPO needs a policy that differs from the expert somewhere. */
function withoutPairs({ phase }: Reported['config'], lastRound: MetricsLine | null): string[] {
  if (!learnsPairs(phase) || lastRound?.['samples'] !== 0) return [];
  return [
    'no pairs: policy and expert agreed at every step, so the policy learned nothing; give other games, or --sample-temperature',
  ];
}

/**
 * Preferences after imitation; after held-out games that were all won, more of them (other environments play 200 episodes, or all they have). The named run brings games, thoughts and the
 * restriction to admissible commands; for an evaluation also its environment.
 */
export function nextCommand(
  { phase, env, preset, evaluation, model: { path } }: Reported['config'],
  folder: string,
  hasWonAll = false,
): string {
  const run = shellWord(folder);
  const isUsual = env === undefined || env === usualEnvironment;
  const { on } = evaluation;
  const games = on === heldOutSuite ? '' : ` --games ${shellWord(on)}`;
  const more = isUsual && hasWonAll ? `${games} --num-games 100` : '';
  const environmentFlag = isUsual ? '' : ` --env ${shellWord(env)}`;
  // a large model needs one
  const presetFlag = preset === undefined || preset === 'tiny' ? '' : ` --preset ${preset}`;
  const policy =
    !learnsPairs(phase) && !hasWonAll
      ? `train --phase dpo${environmentFlag} --ref ${run}${presetFlag}`
      : `eval${env !== undefined && isEnvironmentModule(env) ? environmentFlag : ''} --ckpt ${run}${more}`;
  const model = path === usualModel(env) ? '' : ` --model ${shellWord(path)}`;
  return `npx emac ${policy}${model}`;
}

function measure(line: MetricsLine | null, name: string): string {
  const value = line?.[name];
  // rounding noise below 0 gets no minus
  return typeof value === 'number' ? value.toFixed(4).replace(/^-(?=[0.]+$)/, '') : nothing;
}
