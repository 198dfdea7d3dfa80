/** A suite: ten tasks, each with a sentence, goals, and a generator of scenes. */
import type { NumpyRandom } from '@emac/numpy-random';
import type { Goal } from '../goals.ts';
import type { Scene } from '../scene.ts';

export interface TaskDesign {
  /** the robot's instruction; the task's name has `_` for blanks */
  readonly text: string;
  /** in the best order */
  readonly goals: readonly Goal[];
  /** Draws a scene. */
  readonly draw: (random: NumpyRandom) => Scene;
}
