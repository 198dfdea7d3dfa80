/** The environments that come with this product, by their published ids: as they are played, and as a policy meets them. */
import { EmacError, type StepEnvironment } from '@emac/core';
import { makeGymCards } from '@emac/gym-cards';
import { miniGrid, type Palette } from '@emac/minigrid';
import { isModelPolicy, type PpoConfig } from '../config/ppo-config.ts';
import { environmentId } from './environment-id.ts';
import { tasksEnvironment, tasksIn } from './environment-tasks.ts';
import {
  demonstrationSize,
  isRobotId,
  robotEnvironment,
  wordedRobot,
  type RobotSettings,
  type StepAction,
} from './robots.ts';

export interface EnvironmentSettings {
  /** colours of MiniGrid; null for its own */
  readonly palette: Palette | null;
  /** steps after which an episode is cut off; null for the environment's own limit */
  readonly maxSteps: number | null;
  /** MiniGrid: pixels of a cell's side; its own where this is left out */
  readonly tileSize?: number;
}

/** A new environment, whose `-v0` may be left out. Errors: `usage` for an unknown id, and for a palette of cards. */
export function openEnvironment(
  name: string,
  { palette, maxSteps, ...picture }: EnvironmentSettings,
): StepEnvironment {
  const id = environmentId(name);
  if (isRobotId(id)) return worded(id, { palette, maxSteps });
  const limit = maxSteps === null ? {} : { maxSteps };
  if (id.startsWith('MiniGrid-')) return miniGrid(id, { ...limit, ...picture, palette: palette ?? 'true' });
  requireNoPalette(palette, id);
  return makeGymCards(id, limit);
}

/** For people and programs that choose among actions: every start, at the size that is shown. */
function worded(id: string, { palette, maxSteps }: Pick<EnvironmentSettings, 'palette' | 'maxSteps'>) {
  requireNoPalette(palette, id);
  return wordedRobot(id, { split: 'all', isCounted: false, maxSteps, size: demonstrationSize });
}

function requireNoPalette(palette: Palette | null, id: string): void {
  if (palette !== null) throw new EmacError('usage', `--palette: is for MiniGrid-…, got ${id}; leave it out`);
}

/** Pixels of a cell's side in the picture that a convolutional network reads. */
const smallTile = 8;
/** Pixels of the side of a robot's picture that a convolutional network reads. */
const smallPicture = 64;

/** What decides the environments of a run. */
export type EnvironmentsOf = Pick<PpoConfig, 'env' | 'policy' | 'play' | 'curriculum'>;

/** Of a robot's starts those to learn from, or those held out. */
type EnvironmentUse = 'training' | 'evaluation';

/** A new environment: a model moves a robot itself. Errors: those of `openEnvironment`. */
export function ppoEnvironment(
  config: EnvironmentsOf,
  use: EnvironmentUse = 'training',
): StepEnvironment<unknown, StepAction> {
  return isRobotId(config.env) && isModelPolicy(config)
    ? robotEnvironment(config.env, robotSettings(config, use))
    : numberedEnvironment(config, use);
}

/** A new one whose actions are numbers: a robot is told words, and tasks of their own are one environment. `policy` decides how large its pictures are. Errors: those of `openEnvironment`. */
export function numberedEnvironment(
  config: EnvironmentsOf,
  use: EnvironmentUse = 'training',
): StepEnvironment {
  const { env, policy, play, curriculum } = config;
  const tasks = tasksIn(config);
  if (tasks) {
    const alone = { ...config, curriculum: { ...curriculum, tasks: null } };
    return tasksEnvironment(tasks.map((id) => numberedEnvironment({ ...alone, env: id }, use)));
  }
  if (isRobotId(env)) return wordedRobot(env, robotSettings(config, use));
  const picture = policy === 'cnn' ? { tileSize: smallTile } : {};
  return openEnvironment(env, { maxSteps: play.maxSteps, palette: ownPalette(play), ...picture });
}

function robotSettings(
  { env, policy, play, curriculum }: EnvironmentsOf,
  use: EnvironmentUse,
): RobotSettings {
  requireNoPalette(ownPalette(play), env);
  const isCounted = use === 'evaluation' || curriculum.formula !== null;
  const split = use === 'training' ? 'train' : 'held-out';
  const size = policy === 'cnn' ? smallPicture : demonstrationSize;
  return { split, isCounted, maxSteps: play.maxSteps, size };
}

function ownPalette({ palette }: EnvironmentsOf['play']): Palette | null {
  return palette === 'true' ? null : palette;
}
