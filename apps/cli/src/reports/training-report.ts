/** Report of a finished run of any method, and the next command. */
import { learnsPairs, type MetricsLine } from '@emac/algorithms';
import {
  evaluatedGamesText,
  type FinishedGrpo,
  type FinishedMethod,
  type FinishedPpo,
  type FinishedRun,
  type LewisEvaluation,
} from '@emac/experiment';
import type { EvaluationResult } from '@emac/rollout';
import { heldOutSuite, isEnvironmentModule, usualEnvironment, usualModel } from '@emac/settings';
import { counted, durations } from '../terminal/amounts.ts';
import { say, type Io } from '../terminal/io.ts';
import { sayEvent } from '../terminal/json-events.ts';
import { shellWord } from '../terminal/shell-word.ts';
import { table } from '../terminal/table.ts';
import { changeLines, nothing, returnText, stepsText, successOf, successRows } from './evaluation-report.ts';
import { writeReport } from './write-report.ts';

/** The next command after a run in this folder. */
export type NextCommand = (config: FinishedRun['config'], folder: string, hasWonAll: boolean) => string;

export interface Reporting {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly io: Io;
  /** the command printed after a phase of training */
  readonly next?: NextCommand | undefined;
}

export function reportRun(run: FinishedMethod, { json, quiet, io, next }: Reporting): void {
  const said = json ? io.stderr : io.stdout;
  if (!json || !quiet) say(said, reportText(run, next));
  writeReport(run.folder, { ...io, stdout: said, isQuiet: json && quiet });
  if (!quiet) say(said, `time: ${durations(run.spent)}${run.wasResumed ? ' since it was resumed' : ''}`);
  const { folder, wasResumed: resumed, stopped, remarks, before, after } = run;
  if (json) sayEvent(io, 'result', { ...numbersOf(run), folder, resumed, stopped, remarks, before, after });
}

/** The folder, the numbers before and after; after a phase the next command. */
export function reportText(run: FinishedMethod, next: NextCommand = nextCommand): string {
  const { folder, stopped, remarks } = run;
  const ending = [...(stopped === null ? [] : [`stopped early ${stopped}`]), ...remarks];
  const lines =
    run.command === 'train'
      ? [
          ...labelLines(run),
          ...ending,
          ...withoutPairs(run),
          `next: ${next(run.config, folder, run.after?.success === 1)}`,
        ]
      : [
          ...(isLewis(run) ? lewisLines(run) : playedLines(run)),
          `training: ${Object.entries(madeIn(run))
            .map(([noun, count]) => counted(count, noun))
            .join(', ')}`,
          ...ending,
        ];
  return [`run: ${folder}`, ...lines].join('\n');
}

/** What training by reward made, by noun. */
function madeIn(run: FinishedPpo | FinishedGrpo): Readonly<Record<string, number>> {
  if (run.command === 'ppo') {
    const { environmentSteps: step, update, episodes: episode } = run.outcome;
    return { step, update, episode };
  }
  const { update, answers: answer, tokens: token } = run.outcome;
  return { update, answer, token };
}

function numbersOf(run: FinishedMethod): Readonly<Record<string, unknown>> {
  if (run.command === 'train') {
    const { games, firstProbe, lastProbe, repairs } = run.outcome;
    const probe = { before: firstProbe, after: lastProbe };
    return { phase: run.config.phase, games, probe, ...(repairs > 0 && { repairs }) };
  }
  if (run.command === 'ppo') {
    const { update: updates, environmentSteps, episodes } = run.outcome;
    const { env, policy } = run.config;
    return { env, policy, updates, environment_steps: environmentSteps, episodes };
  }
  const { update: updates, answers, tokens } = run.outcome;
  const { env, role } = run.config;
  return { env, ...(role !== null && { role }), updates, answers, tokens };
}

function labelLines({ config, outcome, before, after }: FinishedRun): string[] {
  const { firstProbe, lastProbe, lastRound, games, repairs } = outcome;
  const rows = [
    ...trainedRows(before, after),
    ['probe loss', measure(firstProbe, 'loss'), measure(lastProbe, 'loss')],
    ...(learnsPairs(config.phase)
      ? [['mean margin W − L', measure(firstProbe, 'margin'), measure(lastProbe, 'margin')]]
      : []),
  ];
  const result = after ?? before;
  const { env = usualEnvironment } = config;
  const source = env === usualEnvironment ? config.evaluation.on : env;
  return [
    table(['', 'before', 'after'], rows),
    ...changeLines(before, after),
    ...(result ? [`success and steps on ${evaluatedGamesText(result, source)}`] : []),
    ...solvedText(games, lastRound),
    ...(repairs > 0
      ? [
          `labels with a repaired command: ${repairs} (repairs in metrics.jsonl, command-repaired in events.jsonl)`,
        ]
      : []),
  ];
}

/** Without an evaluation nothing. */
function playedLines(run: FinishedPpo | FinishedGrpo): string[] {
  const { before, after } = run;
  const { env } = run.config;
  const result = after ?? before;
  if (result === null) return [];
  const hasReturns = result.mean_return !== undefined;
  const rows = [
    ...successRows([before, after]),
    ...(hasReturns ? [['mean return ± 95 %', returnText(before ?? {}), returnText(after ?? {})]] : []),
    ['mean steps', stepsText(before), stepsText(after)],
  ];
  const temperature = run.command === 'ppo' ? run.config.evaluation.temperature : 0;
  const how = temperature === 0 ? 'greedy' : `answers sampled at temperature ${temperature}`;
  const tasks = result.tasks ?? result.games.length;
  return [
    table(['', 'before', 'after'], rows),
    ...changeLines(before, after),
    `${env}, ${counted(tasks, 'held-out task')}, ${how}; success = ${run.command === 'ppo' ? successOf(env) : 'won'}`,
  ];
}

interface FinishedLewis extends FinishedGrpo {
  readonly before: LewisEvaluation | null;
  readonly after: LewisEvaluation | null;
}

function isLewis(run: FinishedPpo | FinishedGrpo): run is FinishedLewis {
  const { before, after } = run;
  return [before, after].some((result) => result !== null && 'identification' in result);
}

function lewisLines({ config: { game, role }, before, after }: FinishedLewis): string[] {
  return [
    table(['', 'before', 'after'], lewisRows([before, after])),
    `lewis, ${counted((after ?? before)!.games.length, 'game')} with held-out concepts and views, ${game.candidates} candidates; recognition: accuracy on matching and on other pairs`,
    ...(role === 'speaker' ? saidBefore(before, after) : []),
  ];
}

/** A row for each number of the evaluations; either may be missing. */
export function lewisRows(results: readonly (LewisEvaluation | null)[]): string[][] {
  const row = (name: string, of: (result: LewisEvaluation) => number | null | undefined, digits: number) => [
    name,
    ...results.map((result) => {
      const value = result && of(result);
      return typeof value === 'number' ? value.toFixed(digits) : nothing;
    }),
  ];
  const { format, length, positive, negative } = numbers;
  return [
    ...successRows(results).map(([name, ...cells]) => [name!.replace('success', 'accuracy'), ...cells]),
    row('format', format, 3),
    row('length reward', length, 3),
    row('recognition, same', positive, 3),
    row('recognition, other', negative, 3),
  ];
}

const numbers = {
  format: ({ identification }: LewisEvaluation) => identification.metrics.format,
  length: ({ identification }: LewisEvaluation) => identification.metrics.length,
  positive: ({ recognition }: LewisEvaluation) => recognition?.metrics.positive_accuracy,
  negative: ({ recognition }: LewisEvaluation) => recognition?.metrics.negative_accuracy,
};

function saidBefore(before: LewisEvaluation | null, after: LewisEvaluation | null): string[] {
  const [one, other] = [before, after].map((result) => result?.identification.results[0]);
  if (!one || !other) return [];
  return [`description of ${one.query_path} before: ${one.description}`, `after: ${other.description}`];
}

/** Games seen in training get rows of their own; without any the rows have no qualifier. */
function trainedRows(before: EvaluationResult | null, after: EvaluationResult | null): string[][] {
  const games = (after ?? before)?.games ?? [];
  const seen = games.filter((game) => game.seen_in_training).length;
  const rows = [...successRows([before, after]), ['mean steps', stepsText(before), stepsText(after)]];
  const ofSeen = [
    ...successRows([before, after], 'seen'),
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
function withoutPairs({ config: { phase }, outcome: { lastRound } }: FinishedRun): string[] {
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
  { phase, env, preset, evaluation, policy: path }: FinishedRun['config'],
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
