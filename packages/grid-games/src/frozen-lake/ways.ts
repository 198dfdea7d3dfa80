/** Where an action can lead, with which chance; and the best actions for every number of steps that are left. */
import { moved, type LakeMap } from './lake-map.ts';

export interface Way {
  readonly chance: number;
  readonly place: number;
  readonly reward: number;
  readonly ends: boolean;
}

/** `[place][action]`: Gymnasium's `P`, in its order. Ground that is not slippery has a success of 1, and then one way alone. */
export type Ways = readonly (readonly (readonly Way[])[])[];

export function waysOf(map: LakeMap, success: number): Ways {
  const size = map.length;
  const letters = map.join('');
  const arrival = (place: number, direction: number, chance: number): Way => {
    const next = moved(place, direction, size);
    const letter = letters[next]!;
    return { chance, place: next, reward: letter === 'G' ? 1 : 0, ends: letter === 'G' || letter === 'H' };
  };
  // this order of operations: a last bit decides where a draw falls
  const failure = (1 - success) / 2;
  return Array.from(letters, (letter, place) =>
    [0, 1, 2, 3].map((action) => {
      if (letter === 'G' || letter === 'H') return [{ chance: 1, place, reward: 0, ends: true }];
      if (success === 1) return [arrival(place, action, 1)];
      const directions = [(action + 3) % 4, action, (action + 1) % 4];
      return directions.map((each) => arrival(place, each, each === action ? success : failure));
    }),
  );
}

/** What a place is worth when a number of steps is left. */
interface Worth {
  /** chance to arrive at the goal */
  readonly chance: number;
  /** steps that are still left on arrival, on average; 0 where it is not reached */
  readonly spare: number;
}

/**
 * `[steps left][place]`: actions with the highest chance to arrive, and among those the earliest arrival. By induction over the steps that are
 * left, so the step limit counts.
 */
export interface Plan {
  readonly chance: (left: number, place: number) => number;
  readonly best: (left: number, place: number) => readonly number[];
}

export function planOf(ways: Ways, maxSteps: number): Plan {
  const worth: Worth[][] = [ways.map(() => ({ chance: 0, spare: 0 }))];
  for (let left = 1; left <= maxSteps; left++)
    worth.push(
      ways.map((actions) => actions.map((each) => worthOf(each, worth[left - 1]!, left)).reduce(better)),
    );
  return {
    chance: (left, place) => worth[left]![place]!.chance,
    best: (left, place) => {
      if (left === 0) return [];
      const each = ways[place]!.map((action) => worthOf(action, worth[left - 1]!, left));
      const most = each.reduce(better);
      return [0, 1, 2, 3].filter((action) => isAsGood(each[action]!, most));
    },
  };
}

function worthOf(action: readonly Way[], after: readonly Worth[], left: number): Worth {
  let [chance, spare] = [0, 0];
  for (const way of action) {
    const next = way.ends ? { chance: way.reward, spare: way.reward * (left - 1) } : after[way.place]!;
    chance += way.chance * next.chance;
    spare += way.chance * next.spare;
  }
  return { chance, spare };
}

/** Differences of rounding alone. */
const rounding = 1e-9;

function better(one: Worth, other: Worth): Worth {
  if (Math.abs(one.chance - other.chance) > rounding) return one.chance > other.chance ? one : other;
  return one.spare >= other.spare ? one : other;
}

function isAsGood(one: Worth, most: Worth): boolean {
  return one.chance >= most.chance - rounding && one.spare >= most.spare - rounding * 100;
}
