/** The scripted player has an accepted action at every step of its own episodes. */
import { messageOf, type History, type Task, type Turn } from '@emac/core';
import type { CheckedEnvironment } from './checked-environment.ts';

export interface Played {
  /** in one sentence; null for none */
  readonly fault: string | null;
  readonly won: number;
  readonly episodes: number;
}

/** Plays every task once; without a player nothing. */
export async function playerFault(
  { player, begin, maxSteps }: CheckedEnvironment,
  sample: readonly Task[],
): Promise<Played> {
  let [won, episodes] = [0, 0];
  if (!player) return { fault: null, won, episodes };
  for (const task of sample) {
    const episode = await begin(task, '0');
    const turns: Turn[] = [];
    const history: History = { initial: episode.first.text, turns };
    let admissible = episode.first.admissible;
    try {
      while (turns.length < maxSteps) {
        const label = await player.label({ task, history, memories: [], admissible });
        if (label.kind === 'unusable')
          return {
            fault: `the player has no action for step ${turns.length + 1} of ${task.id}: ${label.reason}`,
            won,
            episodes,
          };
        const { observation, terminated, truncated, info } = await episode.step(label.command);
        turns.push({ command: label.command, observation: observation.text });
        admissible = observation.admissible;
        if (info.won) won++;
        if (terminated || truncated) break;
      }
      episodes++;
    } catch (thrown) {
      return {
        fault: `the player fails at step ${turns.length + 1} of ${task.id}: ${messageOf(thrown)}`,
        won,
        episodes,
      };
    } finally {
      await episode.close();
    }
  }
  return { fault: null, won, episodes };
}
