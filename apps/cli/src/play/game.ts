/** A game with words as actions: a household of ALFWorld, or an episode of any other environment of this kind. */
import { EmacError, type Episode, type Frame, type Observation } from '@emac/core';
import { environmentId, kindEnvironment, kindOf, openTrained, type GivenEnvironment } from '@emac/opening';
import { renderFrame, World } from '@emac/world';
import type { GameState } from './played-step.ts';
import { namedGame } from './named-game.ts';
import { smallerFrame } from './smaller-frame.ts';

/** An observation in numbers, by name. */
export type Arrays = NonNullable<Observation['arrays']>;

export interface PlayedGame {
  /** Begins it. */
  reset(): Promise<GameState>;
  step(command: string): Promise<GameState>;
  /** The agent's current view. */
  frames(): readonly Frame[];
  /** The same in numbers; empty without arrays. */
  arrays(): Arrays;
  /** The frame for people, with at most so many pixels a side; null without frames. */
  shown(side: number): Frame | null;
  close(): Promise<void>;
}

/** Errors: as `namedGame`. */
export function householdGame(name: string): PlayedGame {
  const world = new World(namedGame(name));
  const state = ({ observation, admissible, score, won }: ReturnType<World['reset']>): GameState => {
    return { observation, admissible, score, won, isOver: won };
  };
  return {
    reset: async () => state(world.reset()),
    step: async (command) => state(world.step(command)),
    frames: () => [renderFrame(world.visible())],
    arrays: () => ({}),
    shown: (side) => renderFrame(world.visible(), { width: side, height: side }),
    close: async () => {},
  };
}

export interface WordedGame {
  readonly env: string;
  /** index of the held-out task, from 0 */
  readonly task: number;
  /** null for the environment's own limit */
  readonly maxSteps: number | null;
  /** the module in `env`; null for an id */
  readonly given: GivenEnvironment | null;
}

/** A held-out task. Errors: as opening the environment; `usage` for a task beyond the last. */
export async function wordedGame({ env, task, maxSteps, given }: WordedGame): Promise<PlayedGame> {
  const id = environmentId(env, given);
  const kind = (await openTrained({ env, maxSteps }, given)) ?? (await kindOf(env).open(id, { maxSteps }));
  const { count, at } = kind.tasks.heldOut;
  if (count !== null && task >= count) {
    await kind.close?.();
    throw new EmacError(
      'usage',
      `--seed: ${id} has ${count} held-out tasks, from 0 to ${count - 1}, got ${task}`,
    );
  }
  const chosen = at(task);
  const environment = kindEnvironment(kind, [chosen], { maxTokens: 0, thoughts: false, observe: 'both' });
  let episode: Episode | null = null;
  let frames: Observation['frames'] = [];
  let arrays: Arrays = {};
  let score = 0;
  const state = (
    { text, frames: shown, arrays: numbers = {}, admissible }: Observation,
    end: Pick<GameState, 'won' | 'isOver'>,
  ): GameState => {
    frames = shown;
    arrays = numbers;
    return { observation: text, admissible: admissible ?? [], score, ...end };
  };
  return {
    async reset() {
      episode = await environment.begin(chosen, '0');
      return state(episode.first, { won: false, isOver: false });
    },
    async step(command) {
      const { observation, reward, terminated, truncated, info } = await episode!.step(command);
      score += reward;
      return state(observation, { won: info.won, isOver: terminated || truncated });
    },
    frames: () => frames,
    arrays: () => arrays,
    shown: (side) => (frames[0] ? smallerFrame(frames[0], side) : null),
    async close() {
      await episode?.close();
      await kind.close?.();
    },
  };
}
