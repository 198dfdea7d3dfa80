/** Commands from a person at a terminal: a prompt, Tab for possible commands, `?` to list them, `help`, `quit`. */
import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { say, type Io } from './io.ts';
import { wrapped } from './wrapped.ts';

export interface Typing {
  /** currently possible commands; called whenever Tab or ? is pressed */
  readonly admissible: () => readonly string[];
  /** called at Ctrl-C */
  readonly interrupted: () => void;
  /** the text of `help`; default: about a game in a room */
  readonly help?: string;
}

export const hint = 'Tab completes a command, ? lists what you can do, help explains, quit ends the game.';

const help = `You are in a room. Read the task, and type one command after another until it is done, such as: go to fridge 1, open
fridge 1, take apple 1 from fridge 1, inventory, look. Things have names with a number.
Tab completes what you type, twice it shows what fits; ? lists everything that you can do now; the arrow keys bring earlier commands back.
None of these takes a step, nor does help. quit, Ctrl-D or Ctrl-C ends the game.`;

/** Whether all three streams are a terminal. */
export function isAPersonThere({ stdin, stdout, stderr }: Io): boolean {
  return (stdin as { isTTY?: boolean }).isTTY === true && stdout.isTerminal && stderr.isTerminal;
}

/** Commands that begin with the typed text, in readline's form. */
export function completions(typed: string, admissible: readonly string[]): [string[], string] {
  return [admissible.filter((each) => each.startsWith(typed)), typed];
}

/** The lines meant for the world. */
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
      const word = line.trim().toLowerCase();
      if (word === 'quit' || word === 'exit') return;
      if (word === '?') say(stderr, typing.admissible().join('\n'));
      else if (word === 'help')
        say(stderr, wrapped((typing.help ?? help).replaceAll('\n', ' '), stderr.columns - 1));
      else if (word !== '') yield line;
      lines.prompt();
    }
  } finally {
    lines.close();
  }
}
