/** A queue and a folder that nobody works for yet. */
import { localQueue, sharedFolder, timerClock } from '@emac/queue';

export function place(folder: string) {
  return { queue: localQueue({ clock: timerClock(() => performance.now()) }), folder: sharedFolder(folder) };
}
