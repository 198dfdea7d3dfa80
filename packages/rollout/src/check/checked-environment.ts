/** What is checked, the names of the checks, and what one finds. */
import type { OpenedKind } from '@emac/core';

/** The parts of an opened environment that are checked. */
export type CheckedEnvironment = Pick<OpenedKind, 'maxSteps' | 'tasks' | 'begin'> &
  Partial<Pick<OpenedKind, 'rewards' | 'player' | 'seats' | 'draw'>>;

export const checks = [
  'tasks',
  'seeds',
  'restore',
  'ends',
  'rewards',
  'observations',
  'texts',
  'walk',
  'player',
  'speed',
] as const;

export type Check = (typeof checks)[number];

/** A broken promise, in one sentence with the step that shows it. */
export interface Finding {
  readonly check: Check;
  readonly sentence: string;
}
