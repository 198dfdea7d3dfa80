/** What a suite is: ten tasks, each a sentence, goals, and a way to draw scenes. */
import type { NumpyRandom } from '@emac/numpy-random';
import type { Goal } from '../goals.ts';
import type { Scene } from '../scene.ts';

export interface TaskDesign {
  /** what the robot is asked to do; the task's name has `_` for blanks */
  readonly text: string;
  /** in the order in which they are best reached */
  readonly goals: readonly Goal[];
  /** Draws a scene. */
  readonly draw: (random: NumpyRandom) => Scene;
}
