/** The part of a checkpoint's state that is the run's own: how it stands, and how long its growing files were. */
import type { FilePart } from '@emac/files';
import type { Standing } from './standing.ts';

/** The run's own part of a checkpoint's state. */
export interface RunState extends Standing {
  /** lengths and hashes of the files that grow, by their names in the run folder */
  readonly files: Readonly<Record<string, Required<FilePart>>>;
}
