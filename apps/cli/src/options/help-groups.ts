/** A long command's flags under headings: the essentials first, the others by configuration group. */
import { isSetting } from './configured.ts';
import type { OptionTable } from './option.ts';

export interface HelpGroup {
  readonly title: string;
  readonly flags: readonly string[];
}

/** By the longest matching start of a setting's path. */
const titles: readonly (readonly [path: string, title: string])[] = [
  ['start', 'Start'],
  ['trained', 'Trained parameters'],
  ['play', 'Episodes'],
  ['curriculum', 'Curriculum'],
  ['samples', 'Samples'],
  ['advantages', 'Advantages'],
  ['shaping', 'Advantages'],
  ['losses', 'Losses'],
  ['optimization', 'Optimization'],
  ['value', 'Critic'],
  ['preference', 'Preferences (dpo)'],
  ['expert', 'Expert'],
  ['expert.languageModel', 'Expert: language model'],
  ['dataset', 'Training on a dataset'],
  ['world', 'Clients (--world http)'],
  ['evaluation', 'Evaluation'],
  ['speech', 'Prompts and answers'],
  ['model', 'Model and backends'],
];

const rest = 'More';

/** Every flag once, in the table's order; empty groups are dropped. */
export function helpGroups(table: OptionTable, essentials: readonly string[]): HelpGroup[] {
  const first = essentials.filter((flag) => Object.hasOwn(table, flag));
  const members = new Map<string, string[]>([
    ['Essentials', first],
    [rest, []],
    ...titles.map(([, title]) => [title, []] as [string, string[]]),
  ]);
  for (const flag of Object.keys(table))
    if (!first.includes(flag)) members.get(titleOf(table, flag))!.push(flag);
  return [...members].filter(([, flags]) => flags.length > 0).map(([title, flags]) => ({ title, flags }));
}

function titleOf(table: OptionTable, flag: string): string {
  const option = table[flag]!;
  const path = isSetting(option) ? option.paths[0]! : '';
  const fitting = titles.filter(([beginning]) => path.startsWith(`${beginning}.`));
  return fitting.sort(([one], [other]) => other.length - one.length)[0]?.[1] ?? rest;
}
