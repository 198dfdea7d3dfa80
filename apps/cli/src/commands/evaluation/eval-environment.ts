/** `emac eval --env ID`: a policy's return and success in an environment, on held-out seeds. */
import { basename, join } from 'node:path';
import { EmacError } from '@emac/core';
import {
  defaultPolicyOf,
  evaluateEnvironment,
  evaluateRemoteRobot,
  publishedFolder,
  publishedLog,
  rolloutPath,
  rolloutRecords,
  withPublishedNames,
  type EvaluatedEnvironment,
  type Keeping,
} from '@emac/experiment';
import { isFolder, isThere, writeFileAtomic } from '@emac/files';
import {
  environmentId,
  isDescribedElsewhere,
  isPlayedElsewhere,
  isWorded,
  type GivenEnvironment,
  type StepAction,
} from '@emac/opening';
import type { EpisodeWatcher } from '@emac/rollout';
import type { WorldConfig } from '@emac/settings';
import { namesModule } from '../../options/given-code.ts';
import { withWorkers } from '../../options/queue-options.ts';
import { runNamed } from '../../options/run-name.ts';
import { noteCommand } from '../../run-notes/write-notes.ts';
import { counted, durations } from '../../terminal/amounts.ts';
import { filmingWatcher } from '../../reports/episode-films.ts';
import { passLines, percent, stepsText, successOf, successText } from '../../reports/evaluation-report.ts';
import { returnText } from '../../reports/comparison-report.ts';
import type { Filmed } from '../../reports/films.ts';
import { hostOf } from '../../terminal/host.ts';
import { say, type Io } from '../../terminal/io.ts';
import { table } from '../../terminal/table.ts';
import { writeReport } from '../../reports/write-report.ts';

export interface EnvironmentValues {
  readonly env: string;
  /** where it is played; absent: here */
  readonly world?: WorldConfig;
  /** set if `env` is a module */
  readonly environment?: GivenEnvironment;
  readonly ckpt: string;
  readonly policy: string | null;
  readonly episodes: number;
  readonly attempts: number;
  readonly temperature: number;
  readonly seed: number;
  /** replaces pictures by blank ones, to see whether a policy uses them */
  readonly blankFrames: boolean;
  readonly gif: Filmed | null;
  /** null for none */
  readonly out: string | null;
  /** `out` gets the layout of VLA-RL's code; the folder's name begins with policy and task */
  readonly layout: 'published' | null;
  /** at the end of that name */
  readonly note: string | null;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly verbose: boolean;
  /** workers play if it is given */
  readonly queue: string | null;
  readonly shared: string | null;
}

/** Errors: those of `evaluateEnvironment` and `withWorkers`; `usage`, `cannot-create`. */
export async function evaluateInEnvironment(values: EnvironmentValues, io: Io): Promise<number> {
  const { out, layout, json, quiet } = values;
  if (layout === null && values.note !== null)
    throw new EmacError('usage', '--note: belongs to --layout published, which was not given');
  if (out === null && (layout !== null || values.gif !== null))
    throw new EmacError(
      'usage',
      `${layout ? '--layout' : '--gif'}: is written into the folder of an evaluation; give --out FOLDER, or leave it out`,
    );
  if (values.world && (layout !== null || values.gif !== null))
    throw new EmacError(
      'usage',
      `${layout ? '--layout' : '--gif'}: is for environments on this machine, got --world http; leave it out`,
    );
  const isElsewhere = values.queue !== null && values.queue !== 'local';
  // before anything opens or is created
  if (isElsewhere && (layout !== null || values.gif !== null))
    throw new EmacError(
      'usage',
      `--queue: workers show no steps; leave it out, or leave out ${layout ? '--layout' : '--gif'}, which keeps steps`,
    );
  // a module's path comes from the command line
  const env = namesModule(values.env) ? values.env : environmentId(values.env);
  const ckpt = values.ckpt === 'untouched' ? values.ckpt : runNamed(values.ckpt, { env: values.env });
  if (isWorded(env) && (layout !== null || values.gif !== null))
    throw new EmacError(
      'usage',
      `${layout ? '--layout' : '--gif'}: is for environments of numbered actions, but actions of ${env} are words; leave it out`,
    );
  const gif = values.gif ?? (layout === null ? null : 'all');
  const isWaiting = values.queue !== null || values.world !== undefined;
  const signal = isWaiting ? io.catchInterruption('and taking back waiting jobs') : undefined;
  const { environment } = values;
  const host = {
    ...hostOf(io, signal, { quiet, verbose: values.verbose }),
    ...(environment && { environment }),
  };
  const note = host.listener?.note;
  const keeping = out === null ? undefined : keepingOf({ ...values, env, ckpt, gif, out }, io, note);
  const evaluated = await withWorkers({ values, io, settings: { signal } }, (workers) =>
    evaluateEnvironment({ ...values, env, ckpt }, { ...host, workers }, keeping),
  );
  tell(evaluated, { json, quiet, io });
  const { folder } = evaluated;
  if (folder === null) return 0;
  const [said, isSilent] = [json ? io.stderr : io.stdout, json && quiet];
  writeReport(folder, { ...io, stdout: said, isQuiet: isSilent });
  if (gif !== null && !isSilent) say(said, `films: ${join(folder, layout === null ? 'gifs' : 'rollouts')}`);
  return 0;
}

export interface ElsewhereValues extends Omit<EnvironmentValues, 'episodes' | 'queue' | 'shared'> {
  /** null for all games of the clients */
  readonly episodes: number | null;
  readonly world: WorldConfig;
}

/** Evaluates in a robot environment played by a client. Errors: as `evaluateRemoteRobot`; `usage`, `cannot-create`. */
export async function evaluateElsewhere(values: ElsewhereValues, io: Io): Promise<number> {
  const { env, world, out, json, quiet } = values;
  if (values.attempts > 1)
    throw new EmacError(
      'usage',
      `--attempts ${values.attempts}: a client plays each of its games once; leave it out with --env ${env}`,
    );
  if (world.kind !== 'http')
    throw new EmacError('usage', `--env ${env}: is played by a client; give --world http`);
  for (const flag of ['gif', 'layout', 'note'] as const)
    if (values[flag] !== null)
      throw new EmacError(
        'usage',
        `--${flag}: is for environments on this machine, got --env ${env}; leave it out`,
      );
  // before waiting for a client
  if (out !== null && isThere(out) && !isFolder(out))
    throw new EmacError('cannot-create', `--out ${out}: is a file; give the name of a folder`);
  const ckpt = values.ckpt === 'untouched' ? values.ckpt : runNamed(values.ckpt, { env: values.env });
  const host = hostOf(io, io.catchInterruption(), { quiet, verbose: values.verbose });
  const begin = (folder: string) => {
    noteCommand(folder, io, host.listener?.note);
    return null;
  };
  const keeping = out === null ? undefined : { out: () => out, begin };
  const evaluated = await evaluateRemoteRobot({ ...values, ckpt }, host, keeping);
  tell(evaluated, { json, quiet, io });
  const { folder } = evaluated;
  if (folder === null) return 0;
  writeReport(folder, { ...io, stdout: json ? io.stderr : io.stdout, isQuiet: json && quiet });
  return 0;
}

function tell(
  evaluated: EvaluatedEnvironment,
  { json, quiet, io }: Pick<EnvironmentValues, 'json' | 'quiet'> & { readonly io: Io },
): void {
  say(io.stdout, json ? JSON.stringify(withPublishedNames(evaluated.result)) : textOf(evaluated));
  if (!quiet) say(json ? io.stderr : io.stdout, `time: ${durations(evaluated.spent)}`);
}

/** Written into an evaluation's folder beside its result. */
function keepingOf(
  {
    env,
    ckpt,
    policy,
    temperature,
    seed,
    note,
    gif,
    layout,
    out,
  }: EnvironmentValues & { readonly out: string },
  io: Io,
  tell: ((line: string) => void) | undefined,
): Keeping {
  const kept = { with: JSON.stringify({ layout, gif }) };
  const begun = (folder: string) => noteCommand(folder, io, tell);
  if (layout === null)
    return {
      ...kept,
      out: () => out,
      begin(folder, isFresh) {
        begun(folder);
        return gif === null ? null : filmingWatcher(folder, gif, { goesOn: !isFresh });
      },
    };
  const model = ckpt === 'untouched' ? (policy ?? defaultPolicyOf(env)) : ckpt;
  const naming = { env, model, temperature, seed, note };
  return {
    ...kept,
    out: publishedFolder(out, naming, new Date(io.now())),
    begin(folder, isFresh) {
      begun(folder);
      const placeOf = (episode: number, isWon: boolean) => rolloutPath(env, episode, isWon);
      const records = rolloutRecords(folder, env);
      return gif === null
        ? records
        : together(records, filmingWatcher(folder, gif, { placeOf, goesOn: !isFresh }));
    },
    end: (folder, result) =>
      writeFileAtomic(join(folder, `${basename(folder, '.part')}.txt`), publishedLog(result)),
  };
}

/** Calls `first` before `second`, because `second` may step the environment. */
function together(
  first: EpisodeWatcher<StepAction>,
  second: EpisodeWatcher<StepAction>,
): EpisodeWatcher<StepAction> {
  return {
    begun: (...begun) => [first, second].forEach((each) => each.begun(...begun)),
    stepped: (...stepped) => [first, second].forEach((each) => each.stepped(...stepped)),
    ended: (...ended) => [first, second].forEach((each) => each.ended(...ended)),
  };
}

function textOf({ result, config }: EvaluatedEnvironment): string {
  const { env, policy, evaluation } = config;
  const fallbacks = result.games.reduce((sum, each) => sum + each.fallbacks, 0);
  const steps = result.games.reduce((sum, { steps }) => sum + steps, 0);
  const rows = [
    ['success', successText(result)],
    ['95 % interval', result.success_ci95!.map(percent).join(' to ')],
    ['mean return ± 95 %', returnText(result)],
    ['mean steps', stepsText(result)],
    ['fallback actions', `${((100 * fallbacks) / steps).toFixed(1)} %`],
  ];
  const how = evaluation.temperature === 0 ? 'greedy' : `temperature ${evaluation.temperature}`;
  const byTask = Object.keys(result.by_type).length > 1 ? `${taskTable(result)}\n` : '';
  const attempts = evaluation.attempts === undefined ? '' : `, ${evaluation.attempts} attempts each`;
  const passes = passLines(result).map((line) => `${line}\n`);
  const lost = result.lost ? `, ${result.lost.length} of them lost and not counted` : '';
  return `${byTask}${table([env, policy], rows)}\n${passes.join('')}${counted(new Set(result.games.map(({ id }) => id)).size, 'held-out task')}${whereOf(env)}${attempts}${lost}, ${how}; success = ${successOf(env)}`;
}

function whereOf(env: string): string {
  if (isPlayedElsewhere(env) && !isDescribedElsewhere(env)) return ' at a client';
  return '';
}

/** A row for each task of a robot. */
function taskTable({ by_type: tasks }: EvaluatedEnvironment['result']): string {
  const rows = Object.entries(tasks).map(([task, { games, won, success, success_ci95, mean_steps }]) => [
    task,
    `${won} of ${games}`,
    percent(success),
    success_ci95.map(percent).join(' to '),
    mean_steps.toFixed(1),
  ]);
  return table(['task', 'won', 'success', '95 % interval', 'mean steps'], rows);
}
