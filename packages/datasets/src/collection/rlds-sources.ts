/** Opens the source datasets, each with its action statistics. */
import { join } from 'node:path';
import { EmacError, messageOf } from '@emac/core';
import { readText } from '@emac/files';
import { asData, stopIfAsked, warn, type Host } from '@emac/opening';
import {
  episodes,
  mixtureNamed,
  openDataset,
  readMixtures,
  usualLayout,
  type Dataset,
  type MixturePart,
  type StepLayout,
} from '@emac/rlds';
import { datasetStatistics, type DatasetStatistics } from '@emac/vla';
import type { RldsCollectionConfig } from './collection-config.ts';

export interface RldsSource extends Omit<MixturePart<DatasetStatistics>, 'statistics'> {
  readonly version: string;
}

/**
 * Opens the dataset, or those of the mixture; reads no episode. Errors: `missing`, `io`, `data`, and `usage` for an unknown mixture, split or part of a
 * step.
 */
export function openSources(config: RldsCollectionConfig): readonly RldsSource[] {
  const { rlds, mixture, mixtures } = config;
  const layout = layoutOf(config);
  const source = (dataset: Dataset, weight: number): RldsSource => {
    const { name, version } = dataset;
    requireSplit(dataset, config.split);
    // paths are checked at once
    void episodes(dataset, config.split, layout);
    return { dataset: name, version, weight, episodes: () => episodes(dataset, config.split, layout) };
  };
  if (mixture === null) return [source(openDataset(rlds), 1)];
  const entries = mixtureNamed(readMixtures(readJson(mixtures!), mixtures!), mixture);
  const sources = entries.map(({ dataset, weight }) => source(openDataset(join(rlds, dataset)), weight));
  const twice = sources.find(({ dataset }, at) =>
    sources.slice(0, at).some((one) => one.dataset === dataset),
  );
  if (twice === undefined) return sources;
  throw new EmacError(
    'usage',
    `--mixture ${mixture}: must name each dataset once, as statistics are stored by name, got ${twice.dataset} twice; leave one out`,
  );
}

function layoutOf({ layout }: RldsCollectionConfig): StepLayout {
  const action = layout.action.split(',').map((part) => part.trim());
  return { ...usualLayout, ...layout, action, state: null };
}

function requireSplit({ splits, folder }: Dataset, split: string): void {
  const names = splits.map(({ name }) => name);
  if (names.includes(split)) return;
  throw new EmacError(
    'usage',
    `--rlds-split ${split}: must be a split of ${folder} (${names.join(', ')}); give one of them`,
  );
}

function readJson(path: string): unknown {
  const text = readText(path);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new EmacError('data', `--mixtures ${path}: must be JSON: ${messageOf(cause)}`, { cause });
  }
}

const numbers = 7;

/**
 * Reads every action of a dataset's split; in the statistics the gripper is 0 closed and 1 open, as in published ones. Errors: `data` for an action without
 * seven numbers, a dataset without steps, and those of `episodes`; `interrupted`.
 */
export async function measured(source: RldsSource, host: Host): Promise<MixturePart<DatasetStatistics>> {
  const { dataset, weight, episodes } = source;
  const demonstrations: { readonly actions: readonly number[][] }[] = [];
  for await (const { number, steps } of episodes()) {
    stopIfAsked(host.signal);
    const actions = steps.map(({ action, index }) => {
      if (action.length === numbers && action.every(Number.isFinite)) return [...action];
      throw new EmacError(
        'data',
        `${dataset}: episode ${number}, step ${index}: its action must be ${numbers} numbers, got [${action.join(', ')}]; name its parts with --rlds-action`,
      );
    });
    demonstrations.push({ actions });
  }
  const rows = demonstrations.flatMap(({ actions }) => actions);
  if (rows.length === 0)
    throw new EmacError('data', `${dataset}: has no steps in this split; name another with --rlds-split`);
  warnOfGrippers(dataset, rows, host);
  const said = demonstrations.map(({ actions }) => ({ actions: actions.map(asData) }));
  return { dataset, weight, episodes, statistics: datasetStatistics(said) };
}

/** Data with 0 closed and 1 open would be learned inverted. */
function warnOfGrippers(
  dataset: string,
  rows: readonly (readonly number[])[],
  { listener }: Pick<Host, 'listener'>,
): void {
  if (rows.some((row) => row[numbers - 1]! < 0)) return;
  warn(
    listener,
    `${dataset}: no gripper value is below 0, so the gripper never opens: values are read as LIBERO's, −1 open and 1 closed; convert data with 1 for open first`,
  );
}
