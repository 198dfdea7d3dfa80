/**
 * A kind of environments: one family, such as ALFWorld or MiniGrid. Each environment package exports one object, and so does a custom
 * module. A method meets an environment only through it, and a new kind is one object and one line in the list of kinds.
 */
import type { KindSettings, OpenedKind } from './environment-kind.ts';
import type { LocalWorld } from './local-world.ts';

export interface EnvironmentKind {
  /** a word: `alfworld`, `gym-cards`, `minigrid`, `frozen-lake`, `sokoban`, `tabletop`, `lewis` */
  readonly name: string;
  /** one line for a list of environments */
  readonly about: string;
  /** known ids, most useful first; unlistable ones, such as folders, are missing */
  readonly ids: readonly string[];
  /** The id meant by a name, where the version may be omitted; null if it is not of this kind. */
  idOf(name: string): string | null;
  /** Errors: `usage` for a setting that does not apply; `missing`, `data` for an unreadable source. */
  open(id: string, settings: KindSettings): Promise<OpenedKind>;
  /** The local world of an id, with numbered actions in this process; absent: the kind has none. Errors: `usage` for an unknown id. */
  local?(id: string): LocalWorld;
  /** name of the small model trained to read it, the default policy */
  readonly policy?: string;
  /** available picture palettes, the kind's own first; absent: no choice */
  readonly palettes?: readonly string[];
  /** a remote client plays it; absent: this process does */
  readonly isElsewhere?: boolean;
  /** a model moves a robot by numbers; absent: actions are words */
  readonly robot?: RobotKind;
}

export interface RobotKind {
  /** The suite of an id, the key of action statistics. */
  suiteOf(id: string): string;
}
