/**
 * The evaluations of a run, before training and after it. Each keeps a journal until its result is stored, so that an interruption repeats no
 * episode; a stored result is not made again.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { EmacError } from '@emac/core';
import {
  canonicalJson,
  failpoint,
  isThere,
  readJson,
  readText,
  whileWriting,
  writeFileAtomic,
} from '@emac/files';
import type { EvaluationResult } from '@emac/rollout';
import { layout } from '@emac/runs';
import { openResultJournal, type ResultJournal } from '../evaluation/journal.ts';
import { evaluationTraces, removeTracesUnderWay } from '../logs/evaluation-traces.ts';
import type { RunSettings, Training, Types, When, Work } from './recipe.ts';

const files = {
  before: { journal: 'eval-before.jsonl', result: 'eval-before.json', traces: 'traces-before.jsonl' },
  after: { journal: 'eval.jsonl', result: layout.evaluation, traces: 'traces-after.jsonl' },
} as const;

type Asked = Pick<RunSettings, 'traces'>;

type Evaluated<T extends Types> = Pick<Training<T>, 'evaluate'>;

/**
 * Evaluates the starting policy; null if nothing is evaluated, or a checkpoint was written without it. Errors:
 * `interrupted`.
 */
export async function evaluateBefore<T extends Types>(training: Evaluated<T>, work: Work, asked: Asked) {
  const { folder } = work.run;
  const known = storedEvaluation<T['evaluation']>(folder, 'before');
  if (known || work.point) return withoutJournal(known, { folder, when: 'before' });
  return evaluated(training, work, { when: 'before', checkpoint: 'start', traces: asked.traces });
}

/** The policy that training made. Errors: `interrupted`. */
export async function evaluateAfter<T extends Types>(training: Evaluated<T>, work: Work, asked: Asked) {
  const { folder } = work.run;
  const latest = join(folder, layout.checkpoints, layout.latest);
  const checkpoint = readText(latest).trim();
  const known = storedEvaluation<T['evaluation']>(folder, 'after');
  if (known?.checkpoint === checkpoint) return withoutJournal(known, { folder, when: 'after' });
  return evaluated(training, work, { when: 'after', checkpoint, traces: asked.traces });
}

/** Removes the journal that a kill left behind, after the result was stored and before the journal was removed. */
function withoutJournal<Known>(
  known: Known,
  { folder, when }: { readonly folder: string; readonly when: When },
): Known {
  const path = join(folder, files[when].journal);
  whileWriting(path, () => rmSync(path, { force: true }));
  removeTracesUnderWay(join(folder, files[when].traces));
  return known;
}

/** A stored evaluation of a run; null if there is none. Errors: `data`. */
export function storedEvaluation<Evaluation extends EvaluationResult>(
  folder: string,
  when: When,
): Evaluation | null {
  const path = join(folder, files[when].result);
  if (!isThere(path)) return null;
  const stored = readJson(path) as Evaluation | null;
  if (typeof stored?.checkpoint === 'string') return stored;
  throw new EmacError('data', `${path}: is no evaluation; it was damaged, put it back or remove it`);
}

async function evaluated<T extends Types>(
  training: Evaluated<T>,
  { run: { folder }, host, open }: Work,
  { when, checkpoint, traces }: { readonly when: When; readonly checkpoint: string } & Asked,
): Promise<T['evaluation'] | null> {
  const { journal: name, result: stored, traces: tracesName } = files[when];
  let opened: Pick<ResultJournal, 'remove'> | null = null;
  const kept = traces ? evaluationTraces(folder, tracesName) : undefined;
  open.add(() => kept?.close());
  const result = await training.evaluate(when, {
    checkpoint,
    traces: kept,
    ...(host.films && { film: join(folder, layout.evaluated, when) }),
    journal: () => {
      const journal = openResultJournal(join(folder, name), checkpoint);
      open.add(() => journal.close());
      opened = journal;
      return journal;
    },
  });
  if (result) {
    writeFileAtomic(join(folder, stored), `${canonicalJson(result, 2)}\n`);
    failpoint('evaluation-stored');
  }
  (opened as Pick<ResultJournal, 'remove'> | null)?.remove();
  return result;
}
