/** A queue and a folder without workers. */
import { localQueue, sharedFolder, timerClock } from '@emac/queue';

export function place(folder: string) {
  return { queue: localQueue({ clock: timerClock(() => performance.now()) }), folder: sharedFolder(folder) };
}
