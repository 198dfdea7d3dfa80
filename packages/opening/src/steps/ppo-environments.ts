/** Environments that are stepped in this process, by their published ids: as they are played, and as a policy meets them. */
import { EmacError, type LocalSettings, type StepEnvironment } from '@emac/core';
import { isEnvironmentModule, smallNetworkOf, type PpoConfig } from '@emac/settings';
import { environmentsWith, isWorded, kindOf, localWorld } from '../environments/kind-of.ts';
import { tasksEnvironment, tasksIn } from './environment-tasks.ts';
import type { StepAction } from './robots.ts';

export interface EnvironmentSettings extends Pick<LocalSettings, 'starts'> {
  /** colours of pictures, if there is a choice; null for the default */
  readonly palette: string | null;
  /** step limit; null for the environment's own */
  readonly maxSteps: number | null;
}

/**
 * A new environment, version optional: any start, in its display form. Errors: `usage` for an unknown id, and for a
 * palette without a choice.
 */
export function openEnvironment(name: string, settings: EnvironmentSettings): StepEnvironment {
  requirePalette(settings.palette, name);
  return localWorld(name).make(settings);
}

function requirePalette(palette: string | null, name: string): void {
  if (palette === null || kindOf(name).palettes) return;
  const where = environmentsWith(({ palettes }) => palettes !== undefined);
  throw new EmacError('usage', `--palette: is for ${where}, got ${name}; leave it out`);
}

/** The settings that decide a run's environments. */
export interface EnvironmentsOf extends Pick<PpoConfig, 'env' | 'policy'> {
  readonly play: Pick<PpoConfig['play'], 'palette' | 'maxSteps'>;
  readonly curriculum: Pick<PpoConfig['curriculum'], 'tasks' | 'formula'>;
}

/** Of counted starts those to learn from, or those held out. */
type EnvironmentUse = 'training' | 'evaluation';

/** A new environment: a model moves a robot itself. Errors: those of `openEnvironment`. */
export function ppoEnvironment(
  config: EnvironmentsOf,
  use: EnvironmentUse = 'training',
): StepEnvironment<unknown, StepAction> {
  const { moved } = localWorld(config.env);
  return moved && smallNetworkOf(config) === null
    ? moved.make(settingsOf(config, use))
    : numberedEnvironment(config, use);
}

/**
 * A new environment with numbers as actions: a robot is controlled by words, and separate tasks form one environment.
 * `policy` decides the size of its pictures. Errors: those of `openEnvironment`.
 */
export function numberedEnvironment(
  config: EnvironmentsOf,
  use: EnvironmentUse = 'training',
): StepEnvironment {
  const tasks = tasksIn(config);
  if (tasks) {
    const alone = { ...config, curriculum: { ...config.curriculum, tasks: null } };
    return tasksEnvironment(tasks.map((id) => numberedEnvironment({ ...alone, env: id }, use)));
  }
  return localWorld(config.env).make(settingsOf(config, use));
}

/** What must be equal in environments that one policy plays, in words: a model is offered actions, cnn also reads the picture's size. */
export function offeredIn(config: EnvironmentsOf, env: string): string {
  const environment = numberedEnvironment({
    ...config,
    env,
    curriculum: { ...config.curriculum, tasks: null },
  });
  const { actions } = environment;
  const network = smallNetworkOf(config);
  const numbers = network === null ? localWorld(env).offered : [...actions.keys()];
  const named = `the actions ${numbers.map((number) => actions[number]).join(', ')}`;
  if (network?.reads !== 'frame') return named;
  environment.reset(0);
  const { width, height } = environment.frame();
  return `${width} × ${height} pixels and ${named}`;
}

function settingsOf(config: EnvironmentsOf, use: EnvironmentUse): LocalSettings {
  const { env, play, curriculum } = config;
  const palette = ownPalette(play.palette);
  requirePalette(palette, env);
  const frameSize = frameSizeOf(config);
  return {
    palette,
    maxSteps: play.maxSteps,
    starts: {
      set: use === 'training' ? 'training' : 'heldOut',
      isCounted: use === 'evaluation' || curriculum.formula !== null,
    },
    ...(frameSize && { frameSize }),
  };
}

/** Convolutions read smaller pictures than people, where the environment says so; undefined: the size shown to people. */
export function frameSizeOf({ env, policy }: Pick<PpoConfig, 'env' | 'policy'>): number | undefined {
  if (isEnvironmentModule(env) || isWorded(env)) return undefined;
  return smallNetworkOf({ policy })?.reads === 'frame' ? localWorld(env).numbers?.frameSize : undefined;
}

/** Null for true colours, which every environment has. */
export function ownPalette(palette: string): string | null {
  return palette === 'true' ? null : palette;
}
