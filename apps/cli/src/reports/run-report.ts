/** Report of a finished run of any method. */
import type { FinishedMethod } from '@emac/experiment';
import { durations } from '../terminal/amounts.ts';
import { grpoReport } from './grpo-report.ts';
import { say, type Io } from '../terminal/io.ts';
import { sayEvent } from '../terminal/json-events.ts';
import { ppoReport } from './ppo-report.ts';
import { trainingReport, type NextCommand } from './training-report.ts';
import { writeReport } from './write-report.ts';

export interface Reporting {
  readonly json: boolean;
  readonly quiet: boolean;
  readonly io: Io;
  /** the command printed after a phase of training */
  readonly next?: NextCommand | undefined;
}

export function reportRun(run: FinishedMethod, { json, quiet, io, next }: Reporting): void {
  const said = json ? io.stderr : io.stdout;
  if (!json || !quiet) say(said, reportOf(run, next));
  writeReport(run.folder, { ...io, stdout: said, isQuiet: json && quiet });
  if (!quiet) say(said, `time: ${durations(run.spent)}${run.wasResumed ? ' since it was resumed' : ''}`);
  const { folder, wasResumed: resumed, stopped, remarks, before, after } = run;
  if (json) sayEvent(io, 'result', { ...numbersOf(run), folder, resumed, stopped, remarks, before, after });
}

function reportOf(run: FinishedMethod, next: NextCommand | undefined): string {
  if (run.command === 'train') return trainingReport(run, next);
  const report = run.command === 'ppo' ? ppoReport(run) : grpoReport(run);
  return [report, ...(run.stopped === null ? [] : [`stopped early ${run.stopped}`]), ...run.remarks].join(
    '\n',
  );
}

function numbersOf(run: FinishedMethod): Readonly<Record<string, unknown>> {
  if (run.command === 'train') {
    const { games, firstProbe, lastProbe } = run.outcome;
    return { phase: run.config.phase, games, probe: { before: firstProbe, after: lastProbe } };
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
