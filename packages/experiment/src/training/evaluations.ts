/** The evaluations of a run: before training and after it, on the games of --eval-on, each kept game by game. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalJson, isThere, whileReading, writeFileAtomic } from '@emac/files';
import type { EvaluationResult } from '@emac/rollout';
import { layout } from '@emac/runs';
import { evaluateGames } from '../evaluation/evaluate-games.ts';
import { openEvaluationJournal } from '../evaluation/journal.ts';
import { versionOf } from '../workers/policy-version.ts';
import type { Work } from './work.ts';

type When = 'before' | 'after';

const files = {
  before: { journal: 'eval-before.jsonl', result: 'eval-before.json' },
  after: { journal: 'eval.jsonl', result: layout.evaluation },
} as const;

/** The policy that training starts from; null without games. It is evaluated once for a run. Errors: `interrupted`. */
export async function evaluateBefore(work: Work): Promise<EvaluationResult | null> {
  const { run, point } = work;
  const known = resultIn(run.folder, 'before');
  if (known) return known;
  // a run that has learned something has no policy of before any more
  if (point) return null;
  return evaluated(work, 'before', 'start');
}

/** The policy that training has made. Errors: `interrupted`. */
export async function evaluateAfter(work: Work): Promise<EvaluationResult | null> {
  const latest = join(work.run.folder, layout.checkpoints, layout.latest);
  const last = whileReading(latest, () => readFileSync(latest, 'utf8')).trim();
  const known = resultIn(work.run.folder, 'after');
  return known?.checkpoint === last ? known : evaluated(work, 'after', last);
}

function resultIn(folder: string, when: When): EvaluationResult | null {
  const path = join(folder, files[when].result);
  if (!isThere(path)) return null;
  return JSON.parse(whileReading(path, () => readFileSync(path, 'utf8'))) as EvaluationResult;
}

async function evaluated(
  { plan, run, host, elsewhere }: Work,
  when: When,
  checkpoint: string,
): Promise<EvaluationResult | null> {
  const { form, texts, evaluated: play, trainedOn, parallelEvaluation: parallel, random } = plan;
  if (play.tasks().length === 0) return null;
  host.listener?.begin?.(`evaluation ${when}`, play.tasks().length);
  const journal = openEvaluationJournal(join(run.folder, files[when].journal), checkpoint);
  try {
    const policy = when === 'before' ? plan.before : plan.student;
    const draws = random.stream('evaluation').stream(when);
    const { environment } = await play.open(form);
    const what = { policy, texts, form, environment, trainedOn, checkpoint, parallel, random: draws };
    const version = () => versionOf(policy === plan.student ? plan.student : plan.reference!);
    const workers = elsewhere?.part(when, { games: plan.kind ? null : play.games, version });
    const { result } = await evaluateGames({ ...what, host, journal, elsewhere: workers });
    writeFileAtomic(join(run.folder, files[when].result), `${canonicalJson(result, 2)}\n`);
    journal.remove();
    return result;
  } catch (thrown) {
    journal.close();
    throw thrown;
  }
}
