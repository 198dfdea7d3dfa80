/**
 * A player of an environment: it chooses the action of every step, in words, whatever the environment is: games, numbered actions,
 * a custom module. Trained policies are batched and speak through prompts instead; they are evaluated by their own code.
 */
import { EmacError, type EpisodeMoment, type Random, type Task } from '@emac/core';
import type { SpentOnLabels } from '../experts/step-teacher.ts';

/** A step to play. */
export interface PlayedMoment extends EpisodeMoment {
  readonly task: Task;
  /** generator of the episode */
  readonly random: Random;
}

export interface ChosenAction {
  readonly action: string;
  /** the player named none, so this one was drawn */
  readonly isFallback: boolean;
  /** it named another, which was repaired; default false */
  readonly isRepaired?: boolean;
}

export interface EnvironmentPlayer {
  /** everything that decides its choices besides environment, task and seed: a name, or the hash of its code */
  readonly content: string;
  /** whether another attempt at a task may go otherwise, since something is drawn or decided anew */
  readonly isDrawn: boolean;
  /** most episodes at once; changes the speed only */
  readonly atOnce: number;
  /** sentences for people */
  readonly notes: readonly string[];
  /** Errors: `usage` for an environment it cannot play, `data` for wrong code; those of its service. */
  act(moment: PlayedMoment): Promise<ChosenAction>;
  /** the service that it asks; null if it asks none */
  readonly service: PlayerService | null;
  dispose(): Promise<void>;
}

export interface PlayerService {
  /** sets the file that stores every reply before use; its content is reused */
  keepReplies(path: string): void;
  /** totals of that file */
  spent(): SpentOnLabels;
}

/** The actions to choose from. Errors: `usage` if the environment lists none. */
export function admissibleNow(
  player: string,
  { task, observation: { admissible } }: Pick<PlayedMoment, 'task' | 'observation'>,
): readonly string[] {
  if (admissible?.length) return admissible;
  throw new EmacError(
    'usage',
    `--policy ${player}: draws from the listed actions, but ${task.id} lists none; give another policy`,
  );
}

/** For a player that named no action. Errors: as `admissibleNow`. */
export function drawnAction(player: string, moment: PlayedMoment): ChosenAction {
  return { action: moment.random.pick(admissibleNow(player, moment)), isFallback: true };
}

/** A player that asks no service, says nothing beside its actions, and holds nothing open. */
export function simplePlayer(
  content: string,
  act: EnvironmentPlayer['act'],
  { atOnce = 8, isDrawn = true }: Partial<Pick<EnvironmentPlayer, 'atOnce' | 'isDrawn'>> = {},
): EnvironmentPlayer {
  return { content, isDrawn, atOnce, notes: [], act, service: null, dispose: async () => {} };
}
