/** Success with intervals, in Markdown. */
import { wilsonInterval } from '@emac/rollout';

export interface Episode {
  readonly won: boolean;
}

export interface Stage {
  readonly name: string;
  /** the episodes of each seed */
  readonly seeds: readonly (readonly Episode[])[];
}

/** Of each stage the share of all seeds' episodes that succeeded, its 95 % interval (Wilson), and each seed's share. */
export function successTable(stages: readonly Stage[]): string {
  const head = ['', 'success', '95 %', 'by seed'];
  const lines = stages.map(({ name, seeds }) => {
    const episodes = seeds.flat();
    if (episodes.length === 0) return [name, '', '', ''];
    const interval = wilsonInterval(wonOf(episodes), episodes.length)!;
    return [
      name,
      (wonOf(episodes) / episodes.length).toFixed(3),
      interval.map((bound) => bound.toFixed(2)).join('–'),
      seeds.map((each) => (wonOf(each) / each.length).toFixed(2)).join(', '),
    ];
  });
  return [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

function wonOf(episodes: readonly Episode[]): number {
  return episodes.filter(({ won }) => won).length;
}
