/**
 * A bc or dpo run in the layout of EMMA's and EMAC+'s code: `emma_checkpoint_N.pth` for the end of each round, from 0, `running_nb01.log`, and the other
 * logs in `logging_results/`. A checkpoint holds the trained parts: the projection and, if it came with one, the vision model's last norm. That code
 * trains nothing else.
 */
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { encodeTrainedParts, isAdapterFolder } from '@emac/backbone';
import { EmacError } from '@emac/core';
import { runningLog } from '@emac/experiment';
import { createFolder, isThere, requireSpace, writeFileAtomic } from '@emac/files';
import { layout, listCheckpoints, loadCheckpoint } from '@emac/runs';
import { copyFile, writeWhole } from './model-folder.ts';

export interface PublishedRounds {
  readonly folder: string;
  /** `emma_checkpoint_0.pth` … */
  readonly steps: readonly string[];
  readonly best: null;
  readonly own: readonly string[];
}

/**
 * Writes the folder, completely or not at all. Errors: `usage` if more than a projection was trained, or no round has
 * ended; `data` for a damaged checkpoint.
 */
export function exportRounds(run: string, out: string): PublishedRounds {
  const ends = listCheckpoints(run).flatMap(({ folder, moment }) =>
    moment?.isAtEnd && moment.unit !== 'update' ? [{ folder, round: moment.over - 1 }] : [],
  );
  if (ends.length === 0)
    throw new EmacError(
      'usage',
      `${run}: has no checkpoint at the end of a round; export one without --layout`,
    );
  const files = new Map(
    ends.map(({ folder, round }) => [`emma_checkpoint_${round}.pth`, published(folder, round)] as const),
  );
  createFolder(dirname(out));
  requireSpace(
    dirname(out),
    [...files.values()].reduce((sum, { length }) => sum + length, 0),
  );
  writeWhole(out, (temporary) => {
    for (const [name, bytes] of files) writeFileAtomic(join(temporary, name), bytes);
    copyLogs(join(run, layout.results), temporary);
  });
  return { folder: out, steps: [...files.keys()], best: null, own: [] };
}

function published(folder: string, round: number): Uint8Array {
  if (isAdapterFolder(folder))
    throw new EmacError(
      'usage',
      `${folder}: has an adapter, but the published code trains a projection alone; export it without --layout`,
    );
  return encodeTrainedParts(loadCheckpoint(folder).projection, round);
}

/** In the published layout, the running log lies beside the folder of the other logs. */
function copyLogs(from: string, out: string): void {
  if (!isThere(from)) return;
  for (const name of readdirSync(from)) {
    const to = name === runningLog ? join(out, name) : join(out, layout.results, name);
    createFolder(dirname(to));
    copyFile(join(from, name), to, false);
  }
}
