/** A command as data: what it takes, and what carries it out. */
import type { OptionTable, Values } from '../options/option.ts';
import type { Io } from '../terminal/io.ts';

export interface Command<Table extends OptionTable = OptionTable> {
  readonly options: Table;
  /** printed below the options */
  readonly epilogue?: () => string;
  /** returns the exit status */
  readonly run: (values: Values<Table>, argument: string, io: Io) => Promise<number>;
}

/** A command before it is asked for: only then is its file loaded. */
export interface NamedCommand {
  /** words after `emac`, e.g. `backbone compare` */
  readonly name: string;
  readonly summary: string;
  /** the one argument without a flag, if any */
  readonly argument?: { readonly name: string; readonly help: string };
  readonly load: () => Promise<Command>;
}

/** A command whose `run` sees the types of its own options. */
export function command<Table extends OptionTable>(definition: Command<Table>): Command {
  return definition as unknown as Command;
}
