/**
 * Converts robots' episodes in RLDS form to the folder layout of robot demonstrations: `train.json` and `val.json` without common episodes, and pictures and
 * actions as in the data. `dataset_statistics.json` beside them has the action statistics of each dataset by name, needed to encode actions as tokens.
 */
import { join } from 'node:path';
import { writeFileAtomic } from '@emac/files';
import { plainHost, statisticsFile, timesOf, type Host, type Times } from '@emac/opening';
import type { MixturePart } from '@emac/rlds';
import { writeStatistics, type DatasetStatistics } from '@emac/vla';
import { finished, told, type Finished } from './finished.ts';
import { inPartFolder, requireFree, type Collection } from './part-folder.ts';
import { rldsCollectionConfig, type RldsCollectionConfig } from './rlds-collection-config.ts';
import { measured, openSources, type RldsSource } from './rlds-sources.ts';
import { takeSteps } from './rlds-steps.ts';

export interface CollectedRlds extends Finished {
  /** path of `dataset_statistics.json` */
  readonly statistics: string;
  /** steps by dataset */
  readonly datasets: Readonly<Record<string, number>>;
  readonly spent: Times['spent'];
}

/**
 * Reads and writes; the folder appears when complete. Errors: `missing`, `io`; `data` naming file, record and rule; `usage`, `config`; `cannot-create` if the
 * folder exists or another process collects into it; `interrupted`.
 */
export async function collectRlds(
  given: Parameters<typeof rldsCollectionConfig>[0],
  host: Host = plainHost(),
): Promise<CollectedRlds> {
  const config = rldsCollectionConfig(given);
  const times = timesOf(host.now);
  requireFree(config.out);
  const sources = openSources(config);
  const collection = collectionOf(config, sources);
  return inPartFolder(collection, async (part) => {
    const parts = await times.part('measuring', () => allMeasured(sources, host));
    const total = config.samples ?? parts[0]!.statistics.num_transitions;
    const { counts, ...taken } = await times.part('taking', () =>
      told(host, [total, 'sample'], () => takeSteps(parts, config, { host, ...part })),
    );
    const statistics = Object.fromEntries(parts.map(({ dataset, statistics }) => [dataset, statistics]));
    writeFileAtomic(join(part.path, statisticsFile), writeStatistics(statistics));
    const made = finished(collection, part, { ...taken, counts });
    return { ...made, ...counts, statistics: join(config.out, statisticsFile), spent: times.spent };
  });
}

async function allMeasured(
  sources: readonly RldsSource[],
  host: Host,
): Promise<MixturePart<DatasetStatistics>[]> {
  const parts: MixturePart<DatasetStatistics>[] = [];
  for (const source of sources) parts.push(await measured(source, host));
  return parts;
}

/** Records depend on the datasets, not on their location. */
function collectionOf(config: RldsCollectionConfig, sources: readonly RldsSource[]): Collection {
  const { out, rlds: _rlds, mixtures: _mixtures, ...settings } = config;
  const datasets = sources.map(({ dataset, version, weight }) => ({ dataset, version, weight }));
  return { out, settings: { ...settings, datasets }, asks: false, hasPictures: true };
}
