/** Notes for people in the folder of a run or an evaluation: the commands that made it, and a run's contents. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '@emac/core';
import { isThere, writeFileAtomic } from '@emac/files';
import { warn, type Listener } from '@emac/opening';
import { layout, readRecord } from '@emac/runs';
import type { Io } from '../terminal/io.ts';
import { version } from '../version.ts';
import { commandText, headText } from './command-text.ts';
import { commitOf } from './commit.ts';
import { readmeText } from './readme-text.ts';
import { recordedIn } from './resume-command.ts';

/** Writes both when a run starts or resumes; a failure is reported and the run continues. */
export function noted(listener: Listener, { argv = [], env }: Pick<Io, 'argv' | 'env'>): Listener {
  return {
    ...listener,
    run(folder) {
      listener.run?.(folder);
      try {
        writeNotes(folder, commandText(argv, env));
      } catch (thrown) {
        warn(listener, `no ${layout.command} or ${layout.readme}: ${messageOf(thrown)}`);
      }
    },
  };
}

/** Writes the command into an evaluation's folder; a failure is reported and the evaluation continues. */
export function noteCommand(
  folder: string,
  { argv = [], env }: Pick<Io, 'argv' | 'env'>,
  note: Listener['note'],
): void {
  try {
    writeCommand(folder, commandText(argv, env));
  } catch (thrown) {
    note?.(`no ${layout.command}: ${messageOf(thrown)}`);
  }
}

function writeNotes(folder: string, command: string): void {
  const readme = join(folder, layout.readme);
  writeCommand(folder, command);
  if (!isThere(readme)) writeFileAtomic(readme, readmeText(readRecord(folder), recordedIn(folder)));
}

let commit: string | null | undefined;

/** Of the code that this process has loaded, asked once. */
function ownCommit(): string | null {
  return (commit ??= commitOf());
}

/** The first command stays; a resume adds a line. */
function writeCommand(folder: string, command: string): void {
  const commands = join(folder, layout.command);
  const before = isThere(commands) ? readFileSync(commands, 'utf8') : headText(version, ownCommit());
  writeFileAtomic(commands, before + command);
}
