/** A command as data: its options and its `run`. */
import type { OptionTable, Values } from '../options/option.ts';
import type { Io } from '../terminal/io.ts';

export interface Command<Table extends OptionTable = OptionTable> {
  readonly options: Table;
  /** words after `emac` in messages, if other words chose it */
  readonly name?: string;
  /** false for flags that `--help` leaves out */
  readonly isListed?: (flag: string) => boolean;
  /** flags `--help` shows first; the others follow in groups. Without it: one list */
  readonly essentials?: readonly string[];
  /** printed below the options */
  readonly epilogue?: () => string;
  /** `words`: arguments without flags; returns the exit status */
  readonly run: (values: Values<Table>, words: readonly string[], io: Io) => Promise<number>;
}

/** A command before its file is loaded. */
export interface NamedCommand {
  /** words after `emac`, e.g. `model check --compare` */
  readonly name: string;
  readonly summary: string;
  /** the argument without a flag, if any */
  readonly argument?: Argument;
  /** `argv`: all words of the command line, because options may depend on them; default none */
  readonly load: (argv?: readonly string[]) => Promise<Command>;
}

/** An argument without a flag. */
export interface Argument {
  readonly name: string;
  readonly help: string;
  /** takes one or more; default exactly one */
  readonly isMany?: boolean;
  /** value when the argument is absent; without it the argument is required */
  readonly otherwise?: string | readonly string[];
}

/** The words without a flag that commands with settings take. */
export const settingWords: Argument = {
  name: 'settings',
  help: 'SETTING=VALUE, as in config.yaml: optimization.learningRate=3e-4',
  isMany: true,
  otherwise: [],
};

/** Gives `run` the types of its own options. */
export function command<Table extends OptionTable>(definition: Command<Table>): Command {
  return definition as unknown as Command;
}
