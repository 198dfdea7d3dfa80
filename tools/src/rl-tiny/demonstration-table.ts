/** The demonstration's results in Markdown. */
import type { DemonstratedGame } from './demonstrated-games.ts';

export const stages = ['untouched', 'fine-tuned', 'ppo', 'answer-credit', 'blank'] as const;
export type Stage = (typeof stages)[number];

interface Played {
  readonly won: boolean;
  readonly return: number;
}

export interface GameResults {
  readonly game: DemonstratedGame;
  /** for each seed the episodes, by stage */
  readonly results: ReadonlyMap<Stage, readonly (readonly Played[])[]>;
}

/** Success of each stage: mean over the seeds, and by seed. */
export function demonstrationTable(rows: readonly GameResults[]): string {
  const head = [
    'environment',
    'published',
    'wanted',
    'untouched',
    'fine-tuned',
    'PPO',
    'PPO, a ratio an answer',
    'PPO, blank frames',
  ];
  const lines = rows.map(({ game, results }) => [
    game.id,
    game.published,
    game.wanted === null ? '' : `≥ ${game.wanted}`,
    ...stages.map((stage) => shares(results.get(stage)!)),
  ]);
  return [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

function shares(seeds: readonly (readonly Played[])[]): string {
  if (seeds.length === 0) return '';
  const found = seeds.map((episodes) => episodes.filter(({ won }) => won).length / episodes.length);
  const mean = found.reduce((sum, share) => sum + share, 0) / found.length;
  return `${mean.toFixed(3)} (${found.map((share) => share.toFixed(3)).join(', ')})`;
}
