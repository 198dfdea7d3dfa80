/** Where episodes are put for other processes to play, and what is too large for a job. */
import type { JobQueue, SharedFolder } from '@emac/queue';

export interface Workers {
  readonly queue: JobQueue;
  /** the same for those who put jobs and those who do them */
  readonly folder: SharedFolder;
}
