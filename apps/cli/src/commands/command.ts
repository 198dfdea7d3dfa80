/** A command as data: what it takes, and what carries it out. */
import type { OptionTable, Values } from '../options/option.ts';
import type { Io } from '../terminal/io.ts';

export interface Command<Table extends OptionTable = OptionTable> {
  readonly options: Table;
  /** flags that `--help` shows first; the others follow in groups. Without it they stand in one list */
  readonly essentials?: readonly string[];
  /** printed below the options */
  readonly epilogue?: () => string;
  /** `words`: what was given without flags; returns the exit status */
  readonly run: (values: Values<Table>, words: readonly string[], io: Io) => Promise<number>;
}

/** A command before it is asked for: only then is its file loaded. */
export interface NamedCommand {
  /** words after `emac`, e.g. `backbone compare` */
  readonly name: string;
  readonly summary: string;
  /** what is given without a flag, if anything */
  readonly argument?: Argument;
  /** `argv`: the words that were typed, which may decide what it takes; default none */
  readonly load: (argv?: readonly string[]) => Promise<Command>;
}

/** Words without a flag. */
export interface Argument {
  readonly name: string;
  readonly help: string;
  /** one or more; without it exactly one */
  readonly isMany?: boolean;
  /** what stands for it where it is not given; without it it is needed */
  readonly otherwise?: string | readonly string[];
}

/** A command whose `run` sees the types of its own options. */
export function command<Table extends OptionTable>(definition: Command<Table>): Command {
  return definition as unknown as Command;
}
