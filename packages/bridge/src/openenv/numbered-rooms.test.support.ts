/** An environment for tests of OpenEnv: rooms in a row, with a picture, an array, chance by the seed, and an end in the last. */
import type { OpenedKind, Step } from '@emac/core';

export interface Rooms {
  readonly kind: Pick<OpenedKind, 'id' | 'tasks' | 'begin' | 'maxSteps' | 'hasGoal'> & OpenedKind;
  /** frames that were drawn */
  readonly drawn: () => number;
  /** episodes that were left */
  readonly closed: () => number;
}

/** Task n has its end n + 1 rooms away; `stay` never ends, and `break` is a fault. */
export function rooms({ count = 3 as number | null, maxSteps = 10 } = {}): Rooms {
  let [drawn, closed] = [0, 0];
  const begin: OpenedKind['begin'] = async (task, seed) => {
    let [place, isOver] = [0, false];
    const end = Number(task.id.split('/')[1]) + 1;
    const seen = () => ({
      text: `room ${place} of ${end}, seed ${seed}`,
      get frames() {
        drawn++;
        return [{ width: 2, height: 1, data: Uint8Array.of(255, 0, 0, 0, 0, place) }];
      },
      arrays: {
        place: { shape: [], data: Int32Array.of(place) },
        grid: { shape: [2, 3], data: Uint8Array.of(1, 2, 3, 4, 5, 6) },
      },
      admissible: ['go', 'stay'],
    });
    return {
      task,
      first: seen(),
      async step(action): Promise<Step> {
        if (action === 'break') throw new Error('the floor gave way');
        if (action === 'go') place++;
        isOver = place === end;
        return {
          observation: seen(),
          reward: isOver ? 1 : -0.25,
          terminated: isOver,
          truncated: false,
          info: { won: isOver, noise: 7, private: { answer: 'go' } },
        };
      },
      close: async () => void closed++,
    };
  };
  const source = (set: string) => ({
    count,
    at: (number: number | bigint) => ({ id: `${set}/${number}`, type: 'row' }),
  });
  const kind: OpenedKind = {
    id: 'house/Rooms-v0',
    maxSteps,
    hasGoal: true,
    tasks: { training: source('near'), heldOut: source('far') },
    begin,
    speech: () => {
      throw new Error('no model here');
    },
  };
  return { kind, drawn: () => drawn, closed: () => closed };
}
