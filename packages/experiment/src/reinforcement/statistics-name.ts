/** Names of the data that a robot's model was fine-tuned on: what it keeps statistics of actions by. */
import { statisticsKey, type DatasetStatistics } from '@emac/vla';

/** The name of a suite as a dataset in RLDS form has it, without a stroke: `tabletop_spatial`. */
export function statisticsName(suite: string): string {
  return suite.replaceAll('/', '_');
}

/** The entry of a suite or a dataset: by its own name, else by that of its dataset, each also with `_no_noops`. Errors: `missing`. */
export function statisticsOf(
  suite: string,
  statistics: Readonly<Record<string, DatasetStatistics>>,
): DatasetStatistics {
  const names = Object.keys(statistics);
  const key = names.find((each) => each === suite || each === `${suite}_no_noops`);
  if (key !== undefined) return statistics[statisticsKey(suite, statistics)]!;
  const alike = Object.fromEntries(names.map((name) => [statisticsName(name), statistics[name]!]));
  return alike[statisticsKey(statisticsName(suite), alike)]!;
}
