/** Success with intervals, in Markdown. */
import { wilsonInterval } from '@emac/rollout';

export interface Episode {
  readonly won: boolean;
}

/** The episodes of each seed. */
export type Seeds = readonly (readonly Episode[])[];

export interface Stage {
  readonly name: string;
  /** by each way to answer */
  readonly answered: readonly Seeds[];
}

/** Of each stage, by each way to answer: the share of all seeds' episodes that succeeded, its 95 % interval (Wilson), and each seed's share. */
export function successTable(answerings: readonly string[], stages: readonly Stage[]): string {
  const head = ['', ...answerings.flatMap((name) => [name, '95 %', 'by seed'])];
  const lines = stages.map(({ name, answered }) => [name, ...answered.flatMap(cellsOf)]);
  return [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

function cellsOf(seeds: Seeds): readonly string[] {
  const episodes = seeds.flat();
  if (episodes.length === 0) return ['', '', ''];
  const interval = wilsonInterval(wonOf(episodes), episodes.length)!;
  return [
    shareOf(episodes).toFixed(3),
    interval.map((bound) => bound.toFixed(2)).join('–'),
    seeds.map((each) => shareOf(each).toFixed(2)).join(', '),
  ];
}

/** From 0 to 1. */
export function shareOf(episodes: readonly Episode[]): number {
  return wonOf(episodes) / episodes.length;
}

function wonOf(episodes: readonly Episode[]): number {
  return episodes.filter(({ won }) => won).length;
}
