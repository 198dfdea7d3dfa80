/** Recorded attempts, `attempts/UPDATE.jsonl` of a run of GRPO's family in an environment. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { layout } from '@emac/runs';
import { jsonLines } from './read-episode.ts';

/** An attempt at a task, and what its steps were credited with. */
export interface AttemptView {
  /** counted from 0, as `attempt` over the run */
  readonly update: number;
  readonly attempt: number;
  readonly task: string;
  readonly won: boolean;
  /** steps that it had; a long one is recorded in part */
  readonly steps: number;
  readonly reward: number;
  /** of the attempt, compared with its group */
  readonly advantage: number;
  readonly shown: readonly CreditedStepView[];
  /** records among which its steps differ most */
  readonly among: number;
}

export interface CreditedStepView {
  readonly observed: string;
  readonly answer: string;
  /** the environment's action */
  readonly command: string;
  readonly reward: number;
  /** the step part; null if the method compares attempts alone */
  readonly own: number | null;
  /** steps of the group from the same state; null likewise */
  readonly alike: number | null;
  /** in the loss */
  readonly advantage: number;
}

/** newest records that one is chosen from */
const newest = 5;

/** Of the newest records that whose steps' advantages differ most, the newest among equals; null without a record. */
export function readAttempt(folder: string): AttemptView | null {
  const path = join(folder, layout.attempts);
  if (!existsSync(path)) return null;
  const names = readdirSync(path).filter((name) => /^\d{6,}\.jsonl$/.test(name));
  const records = names
    .sort()
    .slice(-newest)
    .map((name) => jsonLines(join(path, name)));
  let [chosen, most] = [null as (typeof records)[number] | null, -1];
  for (const record of records) {
    const spread = record[0]?.['kind'] === 'attempt' ? numberOf(record[0]['spread']) : -1;
    if (spread >= most && spread >= 0) [chosen, most] = [record, spread];
  }
  return chosen && viewOf(chosen, records.length);
}

function viewOf(
  [head = {}, ...lines]: readonly Readonly<Record<string, unknown>>[],
  among: number,
): AttemptView {
  return {
    update: numberOf(head['update']),
    attempt: numberOf(head['attempt']),
    task: textOf(head['task']),
    won: head['won'] === true,
    steps: numberOf(head['steps']),
    reward: numberOf(head['reward']),
    advantage: numberOf(head['attemptAdvantage']),
    shown: lines.map((line) => ({
      observed: textOf(line['observed']),
      answer: textOf(line['answer']),
      command: textOf(line['command']),
      reward: numberOf(line['reward']),
      own: line['stepAdvantage'] === null ? null : numberOf(line['stepAdvantage']),
      alike: line['sameState'] === null ? null : numberOf(line['sameState']),
      advantage: numberOf(line['advantage']),
    })),
    among,
  };
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : '');
const numberOf = (value: unknown) => (typeof value === 'number' ? value : 0);
