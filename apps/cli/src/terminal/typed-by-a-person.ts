/** Commands from a person at a terminal: a prompt, Tab for what can be done, `?` for a list of it. */
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { say, type Io } from './io.ts';

export interface Typing {
  /** what can be done now; asked for whenever Tab or ? is pressed */
  readonly admissible: () => readonly string[];
  /** called at Ctrl-C */
  readonly interrupted: () => void;
}

export const hint = 'Tab completes a command, ? lists what you can do, Ctrl-D ends the game.';

/** Commands that begin with what is typed, in the form that readline asks for. */
export function completions(typed: string, admissible: readonly string[]): [string[], string] {
  return [admissible.filter((each) => each.startsWith(typed)), typed];
}

/** The lines that are meant for the world. */
export async function* typedByAPerson({ stdin, stderr }: Io, typing: Typing): AsyncGenerator<string> {
  const output = new Writable({
    write(chunk: Buffer, _encoding, done) {
      stderr.write(chunk.toString());
      done();
    },
  });
  const completer = (typed: string): [string[], string] => completions(typed, typing.admissible());
  const lines = createInterface({ input: stdin, output, completer, terminal: true, prompt: '> ' });
  lines.on('SIGINT', () => {
    typing.interrupted();
    lines.close();
  });
  try {
    lines.prompt();
    for await (const line of lines) {
      if (line.trim() === '?') say(stderr, typing.admissible().join('\n'));
      else if (line.trim() !== '') yield line;
      lines.prompt();
    }
  } finally {
    lines.close();
  }
}
