/**
 * Converts robots' episodes in RLDS form to the folder layout of robot demonstrations: `train.json` and `val.json` without common episodes, and pictures and
 * actions as in the data. `dataset_statistics.json` beside them has the action statistics of each dataset by name, needed to encode actions as tokens.
 */
import { join } from 'node:path';
import { EmacError, Random } from '@emac/core';
import { writeFileAtomic } from '@emac/files';
import { plainHost, statisticsFile, timesOf, type Host, type Times } from '@emac/opening';
import { mixedSteps, pictureFormat, stepsOf, type MixturePart } from '@emac/rlds';
import { writeStatistics, type DatasetStatistics } from '@emac/vla';
import { recorded, robotTexts, type CollectedStep } from './collected-steps.ts';
import { rldsCollectionConfig, type RldsCollectionConfig } from './collection-config.ts';
import { finished, inPartFolder, requireFree, type Collection, type Finished } from './part-folder.ts';
import { measured, openSources, type RldsSource } from './rlds-sources.ts';

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
    const parts: Part[] = [];
    await times.part('measuring', async () => {
      for (const source of sources) parts.push(await measured(source, host));
    });
    const datasets = Object.fromEntries(parts.map(({ dataset }) => [dataset, 0]));
    host.listener?.begin?.('collecting', config.samples ?? parts[0]!.statistics.num_transitions, {
      noun: 'sample',
    });
    const { noisyLabels: _none, ...taken } = await times.part('taking', () =>
      recorded(stepsTaken(parts, config, datasets), config.validation, { host, ...part }),
    );
    const statistics = Object.fromEntries(parts.map(({ dataset, statistics }) => [dataset, statistics]));
    writeFileAtomic(join(part.path, statisticsFile), writeStatistics(statistics));
    const made = finished(collection, part, { ...taken, counts: { datasets } });
    return { ...made, datasets, statistics: join(config.out, statisticsFile), spent: times.spent };
  }).finally(() => host.listener?.end?.());
}

type Part = MixturePart<DatasetStatistics>;

/** Records depend on the datasets, not on their location. */
function collectionOf(config: RldsCollectionConfig, sources: readonly RldsSource[]): Collection {
  const { out, rlds: _rlds, mixtures: _mixtures, ...settings } = config;
  const datasets = sources.map(({ dataset, version, weight }) => ({ dataset, version, weight }));
  return { out, settings: { ...settings, datasets }, resumes: false, hasPictures: true };
}

/** The requested number of steps, of one dataset in order or of a mixture by weight; counts them by dataset. Errors: `data` for a step without a picture, and those of episodes. */
async function* stepsTaken(
  parts: readonly Part[],
  { samples, seed, mixture }: Pick<RldsCollectionConfig, 'samples' | 'seed' | 'mixture'>,
  counts: Record<string, number>,
): AsyncGenerator<CollectedStep> {
  const random = Random.fromSeed(seed).stream('collect').stream('mixture');
  const all = mixture === null ? stepsOf(parts[0]!) : mixedSteps(parts, { random });
  let count = 0;
  for await (const { dataset, episode, step } of all) {
    const { number } = episode;
    const { image, instruction, action, index } = step;
    counts[dataset]!++;
    yield {
      picture: async () => pictureFile(image!, `${dataset}: episode ${number}, step ${index}`),
      // a mixture may repeat a step
      pictureKey: `${dataset}/${number}/${index}`,
      texts: robotTexts({
        instruction: instruction!,
        action: [...action],
        source: dataset,
        episode: `${dataset}/${number}`,
      }),
      isNoisy: false,
      episode: number,
      shared: number,
    };
    if (++count === samples) return;
  }
}

function pictureFile(bytes: Uint8Array, place: string): Uint8Array {
  if (pictureFormat(bytes) !== null) return bytes;
  throw new EmacError(
    'data',
    `${place}: its picture must be a PNG or JPEG file; give another field with --rlds-image`,
  );
}
