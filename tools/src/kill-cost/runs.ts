/** Runs as processes: trained to the end, killed after so many updates, resumed to where they were. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const program = fileURLToPath(new URL('../../../apps/cli/bin/emac.mjs', import.meta.url));
const lookMs = 5;

export interface Killed {
  readonly folder: string;
  /** made, whether a checkpoint has them or not */
  readonly updates: number;
  readonly secondsAnUpdate: number;
  /** all that the process wrote, to files of any kind */
  readonly bytesAnUpdate: number;
}

export interface Resumed {
  /** updates that the resumed run had from the start */
  readonly kept: number;
  /** from the command to the update at which it was killed */
  readonly seconds: number;
  /** of these, until training went on */
  readonly secondsToStart: number;
}

function begun(words: readonly string[]): ChildProcess {
  return spawn(process.execPath, [program, ...words, '--quiet'], { stdio: ['ignore', 'ignore', 'inherit'] });
}

/** Runs a command to its end; returns the run in `out`. */
export async function trained(words: readonly string[], out?: string): Promise<string> {
  const command = out === undefined ? words : ['train', ...words, '--out', out];
  const [status] = (await once(begun(command), 'exit')) as [number | null];
  if (status !== 0) throw new Error(`${command.join(' ')} ended with ${status}`);
  return out === undefined ? '' : runIn(out)!;
}

/** Kills a training once it has made so many updates. */
export async function killed(
  words: readonly string[],
  { out, updates }: { readonly out: string; readonly updates: number },
): Promise<Killed> {
  const child = begun([...words, '--out', out]);
  const first = await reached(child, () => updatesIn(runIn(out)) >= 1);
  const before = { updates: updatesIn(runIn(out)), bytes: bytesOf(child) };
  const last = await reached(child, () => updatesIn(runIn(out)) >= updates);
  const bytes = bytesOf(child) - before.bytes;
  child.kill('SIGKILL');
  await once(child, 'exit');
  const folder = runIn(out)!;
  const made = updatesIn(folder) - before.updates;
  return {
    folder,
    updates: updatesIn(folder),
    secondsAnUpdate: (last - first) / 1000 / made,
    bytesAnUpdate: bytes / made,
  };
}

/** Resumes a killed run until it has made the lost updates again. */
export async function resumed({ folder, updates }: Killed): Promise<Resumed> {
  const start = performance.now();
  const child = begun(['train', '--resume', folder]);
  // resuming cuts the lines after the checkpoint
  let kept = updates;
  let cut = 0;
  const end = await reached(child, () => {
    const now = updatesIn(folder);
    if (now < kept) [kept, cut] = [now, performance.now()];
    return cut > 0 ? now >= updates : now > updates;
  });
  child.kill('SIGKILL');
  await once(child, 'exit');
  return { kept, seconds: (end - start) / 1000, secondsToStart: ((cut || end) - start) / 1000 };
}

async function reached(child: ChildProcess, isThere: () => boolean): Promise<number> {
  while (!isThere()) {
    if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode} before it was killed`);
    await pause(lookMs);
  }
  return performance.now();
}

function runIn(out: string): string | null {
  const name = existsSync(out) ? readdirSync(out).find((each) => !each.startsWith('.')) : undefined;
  return name === undefined ? null : join(out, name);
}

function updatesIn(folder: string | null): number {
  const path = folder === null ? '' : join(folder, 'metrics.jsonl');
  if (!existsSync(path)) return 0;
  return readFileSync(path, 'utf8')
    .split('\n')
    .slice(0, -1)
    .filter((line) => line.includes('"kind":"update"')).length;
}

function bytesOf({ pid }: ChildProcess): number {
  return Number(/^wchar: (\d+)$/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1]);
}
