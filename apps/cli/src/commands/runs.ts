/** `emac runs`: the runs in a folder, newest first. */
import { join } from 'node:path';
import { isThere, readJournal, readJson } from '@emac/files';
import type { EvaluationResult } from '@emac/rollout';
import { layout, runsIn, standingOf, type ListedRun } from '@emac/runs';
import { usualEnvironment } from '@emac/settings';
import { toggle } from '../options/option.ts';
import { recordedIn } from '../run-notes/resume-command.ts';
import { duration } from '../terminal/amounts.ts';
import { say } from '../terminal/io.ts';
import { table } from '../terminal/table.ts';
import { percent } from '@emac/pages/data';
import { nothing } from '../reports/evaluation-report.ts';
import { command } from '../calling/command.ts';

export const runsCommand = command({
  options: { json: toggle('print the list as JSON on standard output') },
  run: (values, [folder], io) => {
    const now = new Date(io.now());
    const runs = runsIn(folder!).map((run) => rowOf(run, now));
    if (values.json) say(io.stdout, JSON.stringify({ runs }));
    else if (runs.length === 0) say(io.stdout, `${folder}: holds no run yet; emac train begins one`);
    else say(io.stdout, table(head, runs.map(cellsOf)));
    return Promise.resolve(0);
  },
});

const head = ['run', 'method', 'environment', 'policy', 'updates', 'success', 'time', 'state'];

/** `success`: of the evaluation after training, else of the newest round or update; `seconds` since it began, to its end. */
function rowOf({ folder, name, record }: ListedRun, now: Date) {
  const { env = usualEnvironment, policy } = recordedIn(folder);
  const metrics = readJournal(join(folder, layout.metrics)) as Readonly<Record<string, unknown>>[];
  const until = record.ended === undefined ? now : new Date(record.ended);
  return {
    run: folder,
    name,
    title: record.title ?? null,
    method: record.method ?? record.phase,
    env,
    policy: policy ?? null,
    updates: metrics.filter(({ kind }) => kind === 'update').length,
    success: evaluationAfter(folder) ?? metrics.map(successOf).findLast((each) => each !== null) ?? null,
    started: record.started,
    seconds: (until.getTime() - Date.parse(record.started)) / 1000,
    state: standingOf(folder, now).status,
  };
}

function successOf({ kind, success, won, played }: Readonly<Record<string, unknown>>): number | null {
  if (typeof success === 'number') return success;
  return kind === 'round-end' && Number(played) > 0 ? Number(won) / Number(played) : null;
}

function cellsOf({ name, title, method, env, policy, updates, ...run }: ReturnType<typeof rowOf>): string[] {
  const success = run.success === null ? nothing : percent(run.success);
  const time = duration(1000 * run.seconds);
  return [title ?? name, method, env, policy ?? nothing, String(updates), success, time, run.state];
}

/** After training, over held-out tasks, or those trained on without any; null without an evaluation. */
function evaluationAfter(folder: string): number | null {
  const file = join(folder, layout.evaluation);
  if (!isThere(file)) return null;
  const { success, seen } = readJson(file) as Partial<EvaluationResult>;
  return success ?? seen?.success ?? null;
}
