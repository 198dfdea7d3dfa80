/** The environment's own scripted player, as the hand-coded expert of ALFWorld: the upper bound of most comparisons. */
import { EmacError, type OpenedKind } from '@emac/core';
import { drawnAction, type EnvironmentPlayer } from './environment-player.ts';

/** Errors: `usage` for an environment without one. */
export function scriptedInEnvironment({ id, player }: Pick<OpenedKind, 'id' | 'player'>): EnvironmentPlayer {
  if (!player)
    throw new EmacError('usage', `--policy scripted: ${id} has no scripted player; give another policy`);
  return {
    content: 'scripted',
    atOnce: 8,
    notes: [],
    async act(moment) {
      const { task, history, observation } = moment;
      const label = await player.label({ task, history, memories: [], admissible: observation.admissible });
      return label.kind === 'action'
        ? { action: label.command, isFallback: false }
        : drawnAction('scripted', moment);
    },
    service: null,
    dispose: async () => {},
  };
}
