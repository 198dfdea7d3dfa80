/** Steps of datasets in RLDS form as records: one dataset in order, or a mixture by weight. */
import { setImmediate } from 'node:timers/promises';
import { EmacError, Random } from '@emac/core';
import { stopIfAsked } from '@emac/opening';
import { mixedSteps, pictureFormat, stepsOf, type MixturePart, type PlacedStep } from '@emac/rlds';
import type { DatasetStatistics } from '@emac/vla';
import type { DatasetRecord } from '../dataset/offline-dataset.ts';
import { isOfShare, type PlayedSteps, type Playing } from './played-steps.ts';
import type { RldsCollectionConfig } from './rlds-collection-config.ts';
import { robotRecord } from './robot-record.ts';

export interface RldsCounts {
  /** by dataset */
  readonly datasets: Readonly<Record<string, number>>;
}

type Part = MixturePart<DatasetStatistics>;

/** Takes the requested number of steps. Errors: `data` for a step without a picture, and those of episodes; `interrupted`, `io`. */
export async function takeSteps(
  parts: readonly Part[],
  config: Pick<RldsCollectionConfig, 'samples' | 'seed' | 'validation' | 'mixture'>,
  { host, keepPicture }: Playing,
): Promise<PlayedSteps<RldsCounts>> {
  const sets = { training: [] as DatasetRecord[], validation: [] as DatasetRecord[] };
  const datasets = Object.fromEntries(parts.map(({ dataset }) => [dataset, 0]));
  const [pictures, games] = [new Map<string, string>(), new Set<string>()];
  let count = 0;
  for await (const { dataset, episode, step } of stepsAsked(parts, config)) {
    stopIfAsked(host.signal);
    const game = `${dataset}/${episode.number}`;
    const place = `${dataset}: episode ${episode.number}, step ${step.index}`;
    // a mixture may repeat a step
    const key = `${game}/${step.index}`;
    const image = pictures.get(key) ?? pictureName(step.image!, pictures.size, place);
    if (!pictures.has(key)) keepPicture(image, step.image!);
    pictures.set(key, image);
    games.add(game);
    datasets[dataset]!++;
    const set = isOfShare(episode.number, config.validation) ? 'validation' : 'training';
    const { action, instruction } = step;
    sets[set].push(
      robotRecord({
        image,
        instruction: instruction!,
        action: [...action],
        source: dataset,
        episode: game,
      }),
    );
    host.listener?.advance?.();
    if (++count % 64 === 0) await setImmediate();
    if (count === config.samples) break;
  }
  return { ...sets, episodes: games.size, counts: { datasets } };
}

function stepsAsked(
  parts: readonly Part[],
  { mixture, seed }: Pick<RldsCollectionConfig, 'mixture' | 'seed'>,
): AsyncIterable<PlacedStep<DatasetStatistics>> {
  if (mixture === null) return stepsOf(parts[0]!);
  return mixedSteps(parts, { random: Random.fromSeed(seed).stream('collect').stream('mixture') });
}

function pictureName(bytes: Uint8Array, number: number, place: string): string {
  const format = pictureFormat(bytes);
  if (format !== null) return `images/${number}.${format === 'jpeg' ? 'jpg' : format}`;
  throw new EmacError(
    'data',
    `${place}: its picture must be a PNG or JPEG file; give another field with --rlds-image`,
  );
}
