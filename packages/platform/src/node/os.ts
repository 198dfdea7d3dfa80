/** The machine, as Node sees it. In a browser's bundle `browser/os.ts` takes this place. */
import { availableParallelism } from 'node:os';

/** How many threads compute at once here. */
export function processorCores(): number {
  return availableParallelism();
}

/** Tells this process from others on the machine. */
export const processId: number = process.pid;
