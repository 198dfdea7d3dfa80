/** The game that is open in the tab: at most one, since models take memory. */
import { openGame, type GivenRecords, type OpenedGame } from '@emac/experiment';
import { EmacError } from '@emac/core';
import type { GameAnswer, GameOrder } from '@emac/pages/data';
import type { Host } from '@emac/opening';

let opened: OpenedGame | null = null;

/** Opens games of a run's environment with its policy, and closes the one before; `given` hears of every label and pair. Errors: those of `openGame`. */
export async function beginGame(
  folder: string,
  given: (records: GivenRecords) => void,
  host: Host,
): Promise<void> {
  await closeGame();
  const names = { policy: folder.split('/').at(-1)! };
  opened = await openGame({ env: null, policy: folder, names, given }, host);
}

export async function closeGame(): Promise<void> {
  await opened?.dispose();
  opened = null;
}

/** Errors: `usage` if no game is open. */
export function ordered(order: GameOrder): Promise<GameAnswer> {
  if (opened === null) throw new EmacError('usage', 'no game is open; open one');
  return opened.place(order);
}
