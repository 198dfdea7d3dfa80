/**
 * An expert with deliberate errors, for studies: with a given probability it names another accepted command. The draw
 * depends on the game and its history, so a state always gets the same label.
 */
import { EmacError, type Expert, type Random } from '@emac/core';

export interface NoiseOptions {
  /** of another command, 0 to 1 */
  readonly probability: number;
  readonly random: Random;
}

/** The expert with noise; its own label if the request lists no accepted commands, or no others. */
export function noisyExpert(expert: Expert, { probability, random }: NoiseOptions): Expert {
  if (!(probability >= 0 && probability <= 1))
    throw new EmacError('usage', `expert noise: must be a probability from 0 to 1, got ${probability}`);
  return {
    async label(request) {
      const label = await expert.label(request);
      const { task, history, admissible } = request;
      if (label.kind === 'unusable' || label.command.startsWith('think:')) return label;
      const others = (admissible ?? []).filter((command) => command !== label.command);
      const lived = JSON.stringify(history.turns.map(({ command }) => command));
      const own = random.stream(task.id).stream(lived);
      if (others.length === 0 || own.uniform() >= probability) return label;
      return { kind: 'action', command: others[own.integer(others.length)]! };
    },
  };
}
