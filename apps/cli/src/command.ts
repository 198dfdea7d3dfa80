/** A command as data: its name, what it takes, and what carries it out (loaded only when it is asked for). */
import type { Io } from './io.ts';
import type { OptionTable, Values } from './option.ts';

export interface Command<Table extends OptionTable = OptionTable> {
  /** words after `emac`, e.g. `backbone compare` */
  readonly name: string;
  readonly summary: string;
  /** the one argument without a flag, if any */
  readonly argument?: { readonly name: string; readonly help: string };
  readonly options: Table;
  /** printed below the options */
  readonly epilogue?: () => string;
  /** returns the exit status */
  readonly run: (values: Values<Table>, argument: string, io: Io) => Promise<number>;
}

/** A command whose `run` sees the types of its own options. */
export function command<Table extends OptionTable>(definition: Command<Table>): Command {
  return definition as unknown as Command;
}
