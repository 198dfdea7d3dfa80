/**
 * A kind of environments: everything that is known of one family, such as ALFWorld or MiniGrid. Each environment package exports one
 * object, and so does a module of one's own. A method meets an environment only through it, and a new kind is one object and one line in
 * the list of kinds.
 */
import type { KindSettings, OpenedKind } from './environment-kind.ts';
import type { LocalWorld } from './local-world.ts';

export interface EnvironmentKind {
  /** a word: `alfworld`, `gym-cards`, `minigrid`, `tabletop`, `lewis` */
  readonly name: string;
  /** one line for a list of environments */
  readonly about: string;
  /** ids that can be opened, most useful first; what a kind cannot list, such as folders, is missing */
  readonly ids: readonly string[];
  /** The id that a name means, whose version may be left out; null where it means none of this kind. */
  idOf(name: string): string | null;
  /** Errors: `usage` for a setting that means nothing here; `missing`, `data` for a source that cannot be read. */
  open(id: string, settings: KindSettings): Promise<OpenedKind>;
  /** What is stepped by number in this process, by its id; absent: nothing of this kind is. Errors: `usage` for an id that is none. */
  local?(id: string): LocalWorld;
  /** the small model that has learned to read it, which is taken where no policy is named */
  readonly policy?: string;
  /** colours of pictures to choose from, the kind's own first; absent: there is no choice */
  readonly palettes?: readonly string[];
  /** a client elsewhere plays it; absent: this process does */
  readonly isElsewhere?: boolean;
  /** a model moves a robot by numbers; absent: actions are words */
  readonly robot?: RobotKind;
}

export interface RobotKind {
  /** The suite of an id, which statistics of actions are kept by. */
  suiteOf(id: string): string;
}
