/** Recorded attempts, `attempts/UPDATE.jsonl` of a run of GRPO's family in an environment. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { AttemptView } from '@emac/pages/data';
import { pathInside } from '@emac/files';
import { layout } from '@emac/runs';
import { jsonLines } from './read-episode.ts';

/** records that are shown, of all */
const newest = 5;

/** The newest records, oldest first; a damaged one is left out. */
export function readAttempts(folder: string): AttemptView[] {
  const path = join(folder, layout.attempts);
  if (!existsSync(path)) return [];
  const names = readdirSync(path).filter((name) => /^\d{6,}\.jsonl$/.test(name));
  return names
    .sort()
    .slice(-newest)
    .flatMap((name) => viewOf(jsonLines(pathInside(folder, join(layout.attempts, name)))) ?? []);
}

function viewOf([head, ...lines]: readonly Readonly<Record<string, unknown>>[]): AttemptView | null {
  if (head?.['kind'] !== 'attempt') return null;
  return {
    update: numberOf(head['update']),
    attempt: numberOf(head['attempt']),
    task: textOf(head['task']),
    won: head['won'] === true,
    steps: numberOf(head['steps']),
    reward: numberOf(head['reward']),
    advantage: numberOf(head['attemptAdvantage']),
    spread: numberOf(head['spread']),
    shown: lines.map((line) => ({
      observed: textOf(line['observed']),
      answer: textOf(line['answer']),
      command: textOf(line['command']),
      reward: numberOf(line['reward']),
      own: line['stepAdvantage'] === null ? null : numberOf(line['stepAdvantage']),
      alike: line['sameState'] === null ? null : numberOf(line['sameState']),
      advantage: numberOf(line['advantage']),
    })),
  };
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');
const numberOf = (value: unknown) => (typeof value === 'number' ? value : 0);
