/** Draws one of the admissible actions, each with the same probability: the lower bound of every comparison. */
import type { OpenedKind } from '@emac/core';
import { firstOf } from '../environments/environment-facts.ts';
import { admissibleNow, type EnvironmentPlayer } from './environment-player.ts';

/** Errors: `usage` for an environment that lists no actions at its first held-out task. */
export async function randomPlayer(
  opened: Pick<OpenedKind, 'tasks' | 'environment'>,
): Promise<EnvironmentPlayer> {
  const task = opened.tasks.heldOut.at(0);
  const observation = await firstOf(opened.environment([task]), task);
  admissibleNow('random', { task, observation });
  return {
    content: 'random',
    atOnce: 8,
    notes: [],
    act: async (moment) => {
      return { action: moment.random.pick(admissibleNow('random', moment)), isFallback: false };
    },
    service: null,
    dispose: async () => {},
  };
}
