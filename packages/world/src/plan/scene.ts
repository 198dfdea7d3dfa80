/**
 * The input of a plan, independent of its storage: receptacles with locations and doors, relevant objects, the agent's
 * place and held object. Made from a world's facts (`scene-of-world.ts`) or from a game being generated.
 */
import type { Dialect } from '../dialect.ts';
import type { Goal, ObjectState } from '../expert/goal.ts';

export interface ScenePlace {
  /** display name, e.g. 'drawer 2' */
  readonly name: string;
  /** class, lower case */
  readonly class: string;
  /** equal for receptacles that can be reached from one place */
  readonly location: string;
  /** must be opened before something is taken out or put in */
  readonly closed: boolean;
}

export interface SceneObject {
  readonly name: string;
  readonly class: string;
  readonly movable: boolean;
  /** the receptacles that hold it: none, one, or two that touch */
  readonly places: readonly ScenePlace[];
  readonly states: ReadonlySet<ObjectState>;
  /** states the tools can produce */
  readonly treatable: ReadonlySet<ObjectState>;
  /** a lamp that was used */
  readonly used: boolean;
}

export interface Scene {
  readonly goal: Goal;
  readonly places: readonly ScenePlace[];
  /** those of the goal's class, and the lamps of the goal's class */
  readonly objects: readonly SceneObject[];
  readonly location: string | null;
  readonly held: SceneObject | null;
  readonly takes: (placeClass: string, objectClass: string) => boolean;
  readonly dialect: Dialect;
}
