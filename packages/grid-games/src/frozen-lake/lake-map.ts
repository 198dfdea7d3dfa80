/**
 * Maps of FrozenLake, as in Gymnasium 1.4: S start, F frozen, H hole, G goal. A random map is drawn anew until a way leads from its first
 * cell to its last.
 */
import type { NumpyRandom } from '@emac/numpy-random';

/** Square, row by row; one letter a cell. */
export type LakeMap = readonly string[];

export const publishedMaps = {
  '4x4': ['SFFF', 'FHFH', 'FFFH', 'HFFG'],
  '8x8': ['SFFFFFFF', 'FFFFFFFF', 'FFFHFFFF', 'FFFFFHFF', 'FFFHFFFF', 'FHHFFFHF', 'FHFFHFHF', 'FFFHFFFG'],
} as const satisfies Readonly<Record<string, LakeMap>>;

/** Chance of a frozen cell. */
const frozen = 0.8;

/** `generate_random_map(size, seed=…)` of Gymnasium, with a generator of that seed. */
export function randomMap(size: number, random: NumpyRandom): LakeMap {
  for (;;) {
    const drawn = Array.from({ length: size * size }, () => (random.random() < frozen ? 'F' : 'H'));
    const cells = ['S', ...drawn.slice(1, -1), 'G'];
    const map = Array.from({ length: size }, (_, row) => cells.slice(row * size, (row + 1) * size).join(''));
    if (hasWay(map)) return map;
  }
}

/** Whether cells without holes connect the first cell with the last. */
function hasWay(map: LakeMap): boolean {
  const size = map.length;
  const reached = new Set([0]);
  for (const place of reached)
    for (const action of [0, 1, 2, 3]) {
      const next = moved(place, action, size);
      if (map[Math.floor(next / size)]![next % size] !== 'H') reached.add(next);
    }
  return reached.has(size * size - 1);
}

/** The cell after a move in a direction (0 left, 1 down, 2 right, 3 up); the edge holds the player back. */
export function moved(place: number, direction: number, size: number): number {
  const [row, column] = [Math.floor(place / size), place % size];
  if (direction === 0) return row * size + Math.max(column - 1, 0);
  if (direction === 1) return Math.min(row + 1, size - 1) * size + column;
  if (direction === 2) return row * size + Math.min(column + 1, size - 1);
  return Math.max(row - 1, 0) * size + column;
}
