/** Names of a robot model's fine-tuning data: the keys of its action statistics. */
import { statisticsKey, type DatasetStatistics } from '@emac/vla';

/** The scale of a robot's action numbers. */
export const statisticsFile = 'dataset_statistics.json';

/** The name of a suite as a dataset in RLDS form has it, without a stroke: `tabletop_spatial`. */
export function statisticsName(suite: string): string {
  return suite.replaceAll('/', '_');
}

/**
 * The entry of a suite or a dataset: by its name, else by its dataset's, each also with `_no_noops`. Errors: `missing`.
 */
export function statisticsOf(
  suite: string,
  statistics: Readonly<Record<string, DatasetStatistics>>,
): DatasetStatistics {
  const wanted = [suite, `${suite}_no_noops`];
  const names = Object.keys(statistics);
  const key =
    wanted.find((name) => names.includes(name)) ??
    names.find((name) => wanted.map(statisticsName).includes(statisticsName(name))) ??
    // refuses the suite by its own name
    statisticsKey(suite, statistics);
  return statistics[key]!;
}
