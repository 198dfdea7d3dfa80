/** Shared by every training command: workers, listener and tracker, a report of each run, and the resume command after a fault. */
import { EmacError } from '@emac/core';
import type { DryRun } from '@emac/dry-run';
import { methodOf, resume, RunError, type FinishedMethod } from '@emac/experiment';
import { limitedHost, type Host } from '@emac/opening';
import type { TrainConfig } from '@emac/settings';
import { refuseDryResume } from '../../options/dry-run.ts';
import { givenCode, namesModule, namesReward } from '../../options/given-code.ts';
import { underMemory } from '../../options/memory-option.ts';
import { checkWorkers, openWorkers } from '../../options/queue-options.ts';
import { runNamed } from '../../options/run-name.ts';
import { remoteWorldFlags, worldIn } from '../../settings/shared-settings.ts';
import type { RunValues } from '../../options/run-options.ts';
import { withPredictions } from '../../run-notes/prediction-log.ts';
import { hostOf } from '../../terminal/host.ts';
import { say, type Io } from '../../terminal/io.ts';
import { resumeCommand } from '../../run-notes/resume-command.ts';
import { runHost } from '../../run-notes/run-host.ts';
import { sayDryRuns, withNote } from '../../reports/dry-run-text.ts';
import { checkTracker } from '../../terminal/tracked.ts';
import { withPerson } from '../../play/labelling.ts';
import { reportRun, type NextCommand } from '../../reports/training-report.ts';
import { refuseOthers } from '../../calling/refuse-others.ts';

export type BegunMethod = ReturnType<typeof methodOf>;

/** Work finished before an interruption takes effect. */
const pending: Readonly<Record<BegunMethod, string>> = {
  train: 'the step and saving',
  ppo: 'the update and saving',
  grpo: 'the update and saving',
};

export interface TrainingRuns {
  readonly values: RunValues;
  readonly io: Io;
  readonly method: BegunMethod;
  /** the command printed after a phase of training */
  readonly next?: NextCommand | undefined;
}

export interface RunsHost extends Host {
  readonly onFinished: (run: FinishedMethod) => void;
}

/** Runs `work` with workers, listener and tracker. Errors: as the work. */
export async function trainingRuns(
  { values, io, method, next }: TrainingRuns,
  work: (host: RunsHost) => Promise<unknown>,
): Promise<void> {
  const { tracker, json, quiet } = values;
  checkTracker(tracker, io);
  const interrupted = io.catchInterruption(pending[method]);
  const onFinished = (run: FinishedMethod) => reportRun(run, { json, quiet, io, next });
  const warned = (line: string): void => say(io.stderr, line);
  try {
    await underMemory(values, warned, async (memory) => {
      const signal = memory ? AbortSignal.any([interrupted, memory.signal]) : interrupted;
      const { workers, close: closeWorkers } = await openWorkers(values, io, { signal });
      const own = runHost(values, io, pending[method]);
      const { host, close } = method === 'grpo' ? withPredictions(own, io) : own;
      const limited = limitedHost(host, memory);
      const taught = method === 'train' ? await withPerson(limited, { values, io }) : null;
      try {
        await work({ ...(taught?.host ?? limited), workers, onFinished });
      } finally {
        await taught?.close();
        await close();
        await closeWorkers();
      }
    });
  } catch (thrown) {
    if (thrown instanceof RunError) sayHowToGoOn(thrown, io);
    throw thrown;
  }
}

/** Prints the plans of a dry run; `queue` describes its workers. Errors: `usage` beside `--resume`; errors of the queue and of planning. */
export async function dryRuns(
  { values, io }: Pick<TrainingRuns, 'values' | 'io'>,
  plan: (host: Host, queue: string | null) => Promise<readonly DryRun[]>,
): Promise<void> {
  const { json, quiet } = values;
  checkTracker(values.tracker, io);
  refuseDryResume(true, values.resume);
  const queue = await checkWorkers(values, io);
  const runs = await plan(hostOf(io, undefined, { quiet }), queue);
  sayDryRuns(withNote(runs, queue), { json, quiet, io });
}

export interface Resuming extends Omit<TrainingRuns, 'method'> {
  readonly words: readonly string[];
  /** flags of the command's settings, rejected beside `--resume` */
  readonly settings: readonly string[];
  /** for a phase of training: its configuration with the flags allowed beside `--resume` */
  readonly changed?: ((config: TrainConfig) => TrainConfig) | undefined;
}

/** Resumes the run that `--resume` names, of any method, and the runs after it. Errors: `usage`; those of `resume`. */
export async function resumeRuns({ words, settings, changed, ...runs }: Resuming): Promise<void> {
  const { values } = runs;
  const { env, reward } = values;
  refuseOthers(['run-name'], values, []);
  // code is in no configuration: it is named anew, and the run checks that it is the same
  const fixed = settings.filter(
    (name) =>
      (name !== 'env' || !namesModule(env)) &&
      (name !== 'reward' || !namesReward(reward)) &&
      !remoteWorldFlags.includes(name),
  );
  const refuse = () => refuseOthers(['config', ...fixed], values, words);
  if (!changed) refuse();
  const folder = runNamed(values.resume!);
  const method = methodOf(folder);
  if (method !== 'train') refuse();
  if (reward != null && !namesReward(reward))
    throw new EmacError('usage', '--reward: a run resumes with its own settings; give --resume alone');
  if (namesReward(reward) && method !== 'grpo')
    throw new EmacError(
      'usage',
      `--reward: rewards attempts that are compared (grpo …), but ${folder} has none; leave it out`,
    );
  const code = await givenCode(values);
  const asked = {
    allowDrift: values['allow-drift'],
    ...(changed && method === 'train' && { changed }),
    world: worldIn(values),
  };
  await trainingRuns({ ...runs, method }, (host) => resume(folder, { ...host, ...code, ...asked }));
}

function sayHowToGoOn({ run }: RunError, { stderr }: Io): void {
  const command = resumeCommand(run.folder);
  if (run.isBadPicture)
    say(
      stderr,
      `to resume: fix the picture, then ${command}; or, to skip such records, ${command} --skip-bad-records`,
    );
  else if (run.isOfModule) say(stderr, `to resume: fix the file, then ${command} --allow-drift`);
  else if (run.canGoOn) say(stderr, `to resume: ${command}`);
}
