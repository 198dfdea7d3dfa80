/** A small model with action tokens: rl-tiny's files with the statistics of an invented data set. */
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { rlTiny } from '@emac/tiny-models';
import { datasetStatistics, writeStatistics } from '@emac/vla';

/** Writes the model into a folder; actions have x in [−1, 1], y half as wide. */
export function robotModel(folder: string): string {
  cpSync(rlTiny, folder, { recursive: true });
  const rows = Array.from({ length: 201 }, (_, row) => {
    const along = row / 100 - 1;
    return [along, along / 2, along, 0, 0, 0, row % 2];
  });
  const statistics = datasetStatistics([{ actions: rows }]);
  writeFileSync(join(folder, 'dataset_statistics.json'), writeStatistics({ 'tabletop/spatial': statistics }));
  return folder;
}
