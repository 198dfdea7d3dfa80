/** Chooses real games of a folder so that few of them already show every task type in every room. */
import { basename } from 'node:path';
import type { Random } from '@emac/core';
import { findGames } from '@emac/world';

/** Paths of `count` playable games: one of each task type, room and file name before a second of any. */
export function chooseGames(folder: string, count: number, random: Random): string[] {
  const groups = new Map<string, string[]>();
  for (const path of random.shuffle(findGames(folder).games)) {
    const key = groupOf(path);
    const group = groups.get(key);
    if (group) group.push(path);
    else groups.set(key, [path]);
  }
  const queues = random.shuffle([...groups.values()]);
  const longest = Math.max(0, ...queues.map((queue) => queue.length));
  const inTurn = Array.from({ length: longest }, (_, turn) => queues.flatMap((queue) => queue[turn] ?? []));
  return inTurn.flat().slice(0, count);
}

/** `<type>-<object>-<movable>-<target>-<scene>/<trial>/<file>` → type, scene and file. */
function groupOf(path: string): string {
  const task = path.split('/').at(-3) ?? '';
  const parts = task.split('-');
  return `${parts[0]} ${parts.at(-1)} ${basename(path)}`;
}
