/** The published ids and their levels. */
import { EmacError } from '@emac/core';
import { crossing, type Crossing } from './levels/crossing.ts';
import { doorKey } from './levels/door-key.ts';
import { dynamicObstacles, type Obstacles } from './levels/dynamic-obstacles.ts';
import { emptyRoom } from './levels/empty.ts';
import { fetch } from './levels/fetch.ts';
import { fourRooms } from './levels/four-rooms.ts';
import { lavaGap } from './levels/lava-gap.ts';
import { keyCorridor, unlock, unlockPickUp } from './levels/locked-rooms.ts';
import { multiRoom, type Chain } from './levels/multi-room.ts';
import { redBlueDoors } from './levels/red-blue-doors.ts';
import type { RoomGridSize } from './levels/room-grid.ts';
import type { World } from './world.ts';

export type Family =
  | 'Empty'
  | 'DoorKey'
  | 'LavaGap'
  | 'LavaCrossing'
  | 'SimpleCrossing'
  | 'FourRooms'
  | 'Fetch'
  | 'MultiRoom'
  | 'Unlock'
  | 'UnlockPickup'
  | 'KeyCorridor'
  | 'Dynamic-Obstacles'
  | 'RedBlueDoors';

export interface Design {
  readonly family: Family;
  readonly width: number;
  readonly height: number;
  /** the published limit */
  readonly maxSteps: number;
  readonly seesThroughWalls: boolean;
  /** number of actions; all but one family have 7 */
  readonly actionCount: number;
  /** Draws a level into an empty world. */
  readonly generate: (world: World) => void;
}

type Particulars = Pick<Design, 'family' | 'maxSteps' | 'generate'> & Partial<Design>;

function square(size: number, particulars: Particulars): Design {
  return { width: size, height: size, seesThroughWalls: false, actionCount: 7, ...particulars };
}

function empty(size: number, startsAnywhere: boolean): Design {
  const generate = (world: World) => emptyRoom(world, startsAnywhere);
  return square(size, { family: 'Empty', maxSteps: 4 * size ** 2, seesThroughWalls: true, generate });
}

function river(size: number, form: Crossing): Design {
  const family = form.obstacle === 'lava' ? 'LavaCrossing' : 'SimpleCrossing';
  return square(size, { family, maxSteps: 4 * size ** 2, generate: (world) => crossing(world, form) });
}

function fetching(size: number, count: number): Design {
  const generate = (world: World) => fetch(world, count);
  return square(size, { family: 'Fetch', maxSteps: 5 * size ** 2, seesThroughWalls: true, generate });
}

function chain(form: Chain): Design {
  const maxSteps = 20 * form.rooms;
  return square(25, { family: 'MultiRoom', maxSteps, generate: (world) => multiRoom(world, form) });
}

function obstacles(size: number, form: Obstacles): Design {
  const generate = (world: World) => dynamicObstacles(world, form);
  const others = { maxSteps: 4 * size ** 2, seesThroughWalls: true, actionCount: 3 };
  return square(size, { family: 'Dynamic-Obstacles', generate, ...others });
}

interface Rooms extends Pick<Design, 'family' | 'maxSteps'> {
  readonly size: RoomGridSize;
  readonly generate: (world: World, size: RoomGridSize) => void;
}

function rooms({ family, maxSteps, size, generate }: Rooms): Design {
  const { roomSize, rows, columns } = size;
  const side = (count: number) => (roomSize - 1) * count + 1;
  const [width, height] = [side(columns), side(rows)];
  return square(0, { family, maxSteps, width, height, generate: (world) => generate(world, size) });
}

function corridor(roomSize: number, rows: number): Design {
  const size = { roomSize, rows, columns: 3 };
  return rooms({ family: 'KeyCorridor', maxSteps: 30 * roomSize ** 2, size, generate: keyCorridor });
}

const twoRooms = { maxSteps: 8 * 6 ** 2, size: { roomSize: 6, rows: 1, columns: 2 } };
const eachSize = (sizes: readonly number[], entry: (size: number) => [string, Design]) => sizes.map(entry);

const designs: ReadonlyMap<string, Design> = new Map<string, Design>([
  ...eachSize([5, 6, 8, 16], (size) => [`Empty-${size}x${size}-v0`, empty(size, false)]),
  ...eachSize([5, 6], (size) => [`Empty-Random-${size}x${size}-v0`, empty(size, true)]),
  ...eachSize([5, 6, 8, 16], (size) => {
    const form = { family: 'DoorKey', maxSteps: 10 * size ** 2, generate: doorKey } as const;
    return [`DoorKey-${size}x${size}-v0`, square(size, form)];
  }),
  ...eachSize([5, 6, 7], (size) => {
    const form = { family: 'LavaGap', maxSteps: 4 * size ** 2, generate: lavaGap } as const;
    return [`LavaGapS${size}-v0`, square(size, form)];
  }),
  ...(['lava', 'wall'] as const).flatMap((obstacle) =>
    [1, 2, 3, 5].map((count): [string, Design] => {
      const size = count === 5 ? 11 : 9;
      const name = obstacle === 'lava' ? 'LavaCrossing' : 'SimpleCrossing';
      return [`${name}S${size}N${count}-v0`, river(size, { rivers: count, obstacle })];
    }),
  ),
  ['FourRooms-v0', square(19, { family: 'FourRooms', maxSteps: 100, generate: fourRooms })],
  ['Fetch-5x5-N2-v0', fetching(5, 2)],
  ['Fetch-6x6-N2-v0', fetching(6, 2)],
  ['Fetch-8x8-N3-v0', fetching(8, 3)],
  ['MultiRoom-N2-S4-v0', chain({ rooms: 2, maxRoomSize: 4 })],
  // a published mistake that stays: six rooms; v1 has four
  ['MultiRoom-N4-S5-v0', chain({ rooms: 6, maxRoomSize: 5 })],
  ['MultiRoom-N4-S5-v1', chain({ rooms: 4, maxRoomSize: 5 })],
  ['MultiRoom-N6-v0', chain({ rooms: 6, maxRoomSize: 10 })],
  ['Unlock-v0', rooms({ family: 'Unlock', ...twoRooms, generate: unlock })],
  ['UnlockPickup-v0', rooms({ family: 'UnlockPickup', ...twoRooms, generate: unlockPickUp })],
  ...eachSize([1, 2, 3], (rows) => [`KeyCorridorS3R${rows}-v0`, corridor(3, rows)]),
  ...eachSize([4, 5, 6], (size) => [`KeyCorridorS${size}R3-v0`, corridor(size, 3)]),
  ...(
    [
      ['5x5', 5, 2],
      ['6x6', 6, 3],
      ['8x8', 8, 4],
      ['16x16', 16, 8],
    ] as const
  ).map(([name, size, count]): [string, Design] => [
    `Dynamic-Obstacles-${name}-v0`,
    obstacles(size, { count, startsAnywhere: false }),
  ]),
  ['Dynamic-Obstacles-Random-5x5-v0', obstacles(5, { count: 2, startsAnywhere: true })],
  ['Dynamic-Obstacles-Random-6x6-v0', obstacles(6, { count: 3, startsAnywhere: true })],
  ...eachSize([6, 8], (size) => {
    const form = { family: 'RedBlueDoors', maxSteps: 20 * size ** 2, generate: redBlueDoors } as const;
    return [`RedBlueDoors-${size}x${size}-v0`, square(size, { ...form, width: 2 * size })];
  }),
]);

const prefix = 'MiniGrid-';

/** All ids, as published. */
export const miniGridIds: readonly string[] = [...designs.keys()].map((name) => prefix + name);

/** The published id: `-v0` is optional. Errors: `usage` for an unknown one. */
export function publishedId(id: string): string {
  const found = [id, `${id}-v0`].find((each) => miniGridIds.includes(each));
  if (found !== undefined) return found;
  throw new EmacError('usage', `minigrid: there is no ${id}; there are ${miniGridIds.join(', ')}`);
}

/** Errors: `usage` for an unknown id. */
export function designOf(id: string): Design {
  return designs.get(publishedId(id).slice(prefix.length))!;
}
