/** The whole command without its process: words in, exit status out. Errors become one sentence and their status. */
import { EmacError, messageOf } from '@emac/core';
import { catalogue, earlierNames } from './commands/catalogue.ts';
import { parseCommandLine } from './commands/command-line.ts';
import { refuseKeyInWords } from './options/key-in-words.ts';
import { say, type Io } from './terminal/io.ts';
import { version } from './version.ts';

/** Runs `emac <argv>`; never throws. */
export async function runCommand(argv: readonly string[], io: Io): Promise<number> {
  try {
    refuseKeyInWords(argv);
    const width = Math.min(120, io.stdout.columns);
    const parsed = await parseCommandLine(argv, { commands: catalogue, earlierNames, version, width });
    if (parsed.kind === 'command')
      return await parsed.command.run(parsed.values, parsed.words, { ...io, argv });
    say(io.stdout, parsed.text);
    return 0;
  } catch (thrown) {
    return await reported(thrown, io);
  }
}

/** Prints the error; returns its exit status. */
export async function reported(thrown: unknown, { stderr }: Io): Promise<number> {
  const fault = thrown instanceof EmacError ? thrown : await systemFaultOf(thrown);
  if (fault) {
    // messages of other libraries may hold line breaks
    say(stderr, `emac: ${fault.message.replace(/\s*\n\s*/g, ' ')}`);
    return fault.exitCode;
  }
  const stack = thrown instanceof Error ? thrown.stack : undefined;
  say(stderr, `emac: unexpected: ${stack ?? messageOf(thrown)}`);
  return 1;
}

async function systemFaultOf(thrown: unknown): Promise<EmacError | null> {
  return (await import('./system-fault.ts')).systemFault(thrown);
}
