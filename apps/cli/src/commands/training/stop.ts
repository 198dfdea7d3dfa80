/** `emac stop`: stops a run from outside like SIGTERM: the process finishes its step, writes a checkpoint and ends with 75. */
import { setTimeout } from 'node:timers/promises';
import { EmacError } from '@emac/core';
import { isThere } from '@emac/files';
import { hasEnded, holderOf, standingOf, type RunHolder, type RunStanding } from '@emac/runs';
import { integer, toggle, type Values } from '../../options/option.ts';
import { runNamed } from '../../options/run-name.ts';
import { resumeCommand } from '../../run-notes/resume-command.ts';
import { say, type Io } from '../../terminal/io.ts';
import { command } from '../../calling/command.ts';

const options = {
  timeout: integer([1, 86_400], { help: 'seconds to wait for the run to save itself', default: 600 }),
  json: toggle('print the run’s progress as JSON on standard output'),
};

type StopValues = Values<typeof options>;

export const stopCommand = command({
  options,
  run: (values, [run], io) => stopRun(runNamed(run!), values, io),
});

const lookMs = 100;

/**
 * Runs `emac stop`; returns 0 once the run's process has ended. Errors: `missing`, `data`, `unavailable` for a process possibly out of reach, `auth` for
 * another user's, `interrupted` after the timeout.
 */
async function stopRun(folder: string, values: StopValues, io: Io): Promise<number> {
  if (!isThere(folder)) throw new EmacError('missing', `${folder}: does not exist; give the folder of a run`);
  const now = () => new Date(io.now());
  const before = standingOf(folder, now());
  const holder = holderOf(folder, now());
  if (holder) {
    ask(folder, holder);
    say(io.stderr, `process ${holder.process.pid} was asked to stop; it finishes its step and saves the run`);
    await ended(folder, holder, { seconds: values.timeout, io });
  } else if (before.status !== 'done') say(io.stderr, `${folder}: no process is using it`);
  tell(folder, { ...standingOf(folder, now()), wasRunning: holder !== null }, { json: values.json, io });
  return 0;
}

/**
 * Asks the process of a run and waits for nothing; one among `asked` is not asked again, which would end it before it has saved itself.
 * Errors: `missing` if none has it; those of asking.
 */
export function askRunToStop(folder: string, now: Date, asked: Set<string>): void {
  const holder = holderOf(folder, now);
  if (!holder) throw new EmacError('missing', `${folder}: no process is using it`);
  const identity = JSON.stringify(holder.process);
  if (asked.has(identity)) return;
  ask(folder, holder);
  asked.add(identity);
}

function ask(folder: string, { process: { pid, host }, place }: RunHolder): void {
  const at = `${folder}: process ${pid}`;
  if (place === 'elsewhere')
    throw new EmacError(
      'unavailable',
      `${at} on ${host} is using it, which is another machine; give the command there`,
    );
  if (place === 'unsure')
    throw new EmacError(
      'unavailable',
      `${at} seems to be using it, but this system does not tell when a process started; if it is the run, kill -TERM ${pid}`,
    );
  try {
    process.kill(pid, 'SIGTERM');
  } catch (thrown) {
    // it may have ended meanwhile
    if ((thrown as NodeJS.ErrnoException).code === 'EPERM')
      throw new EmacError('auth', `${at} belongs to another user, who can stop it`, { cause: thrown });
  }
}

interface Waiting {
  readonly seconds: number;
  readonly io: Io;
}

async function ended(folder: string, holder: RunHolder, { seconds, io }: Waiting): Promise<void> {
  const end = io.now() + seconds * 1000;
  while (!hasEnded(holder)) {
    if (io.now() >= end)
      throw new EmacError(
        'interrupted',
        `${folder}: process ${holder.process.pid} was asked to stop but still runs after ${seconds} s; wait for it, or give the command again with a longer --timeout`,
      );
    await setTimeout(lookMs);
  }
}

interface Told extends RunStanding {
  readonly wasRunning: boolean;
}

function tell(folder: string, told: Told, { json, io }: { readonly json: boolean; readonly io: Io }): void {
  const { status, reason, checkpoint } = told;
  if (json) return say(io.stdout, JSON.stringify({ run: folder, ...told }));
  const why = status === 'failed' && reason !== null ? ` (${reason})` : '';
  const saved = checkpoint === null ? 'without a checkpoint' : `at checkpoint ${checkpoint}`;
  say(io.stdout, `run ${folder}: ${status}${why}, ${saved}`);
  if (status === 'done') return;
  say(io.stdout, `to resume: ${resumeCommand(folder)}`);
}
