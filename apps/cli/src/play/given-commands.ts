/** Commands from a file or another program, not from a terminal. */
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import { EmacError } from '@emac/core';
import { isFolder, isThere } from '@emac/files';
import type { Io } from '../terminal/io.ts';
import { linesIn } from '../terminal/lines.ts';

export interface Given {
  /** a path, or - for standard input */
  readonly commands: string | null;
  readonly json: boolean;
}

/** Commands of a file or another program; null if a person types. Errors: `missing`, `data`. */
export function givenCommands({ commands, json }: Given, { stdin }: Io): AsyncIterable<string> | null {
  if (commands === null && !json) return null;
  if (commands === null || commands === '-') return linesIn(stdin as AsyncIterable<Buffer>);
  if (!isThere(commands)) throw new EmacError('missing', `--commands ${commands}: does not exist`);
  if (isFolder(commands)) throw new EmacError('data', `--commands ${commands}: is a folder`);
  return linesIn(createReadStream(commands) as AsyncIterable<Buffer>);
}

/** Lines of standard input, with a prompt on a terminal. */
export async function* askedCommands({ stdin, stderr }: Io): AsyncGenerator<string> {
  const prompt = (): void => {
    if (stderr.isTerminal) stderr.write('> ');
  };
  prompt();
  for await (const line of createInterface({ input: stdin })) {
    yield line;
    prompt();
  }
}
