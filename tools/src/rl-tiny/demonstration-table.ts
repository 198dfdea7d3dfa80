/** The demonstration's results in Markdown. */
import type { DemonstratedGame } from './demonstrated-games.ts';

const columns = ['untouched', 'fine-tuned', 'ppo', 'answer-credit', 'blank'] as const;
type Column = (typeof columns)[number];
/** What is evaluated, by its likeliest answers or by drawn ones. */
export type Stage = Column | `${Column}-drawn`;
export const stages: readonly Stage[] = columns.flatMap((column) => [column, `${column}-drawn`] as const);

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
  const lines = rows.flatMap(({ game, results }) => {
    const line = (id: string, stageOf: (column: Column) => Stage) => [
      id,
      game.published,
      game.wanted === null ? '' : `≥ ${game.wanted}`,
      ...columns.map((column) => shares(results.get(stageOf(column))!)),
    ];
    const drawn = line(`${game.id}, drawn`, (column) => `${column}-drawn`);
    return [line(game.id, (column) => column), ...(game.isDrawnToo ? [drawn] : [])];
  });
  return [head, head.map(() => '---'), ...lines].map((cells) => `| ${cells.join(' | ')} |\n`).join('');
}

function shares(seeds: readonly (readonly Played[])[]): string {
  if (seeds.length === 0) return '';
  const found = seeds.map((episodes) => episodes.filter(({ won }) => won).length / episodes.length);
  const mean = found.reduce((sum, share) => sum + share, 0) / found.length;
  return `${mean.toFixed(3)} (${found.map((share) => share.toFixed(3)).join(', ')})`;
}
