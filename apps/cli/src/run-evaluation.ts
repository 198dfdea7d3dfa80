/** `emac eval` from start to end. Nothing here knows an expert or a network. */
import { existsSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { EmacError } from '@emac/core';
import { canonicalJson, writeFileAtomic } from '@emac/files';
import { createFolder } from '@emac/runs';
import type { EvaluationResult } from '@emac/trainer';
import { evaluationText } from './evaluation-table.ts';
import type { EvalValues } from './eval-command.ts';
import { drawGames, isBuiltin, listGames, loadGames, shortage } from './games.ts';
import { evaluateGames } from './held-out.ts';
import { say, type Io } from './io.ts';
import { inUse, openModel, openStudent } from './model.ts';
import { speechOf } from './policy.ts';
import { progress } from './progress.ts';
import { isModelFolder, storedProjection } from './projection-start.ts';
import { stopwatch } from './stopwatch.ts';

const gamesOfASuite = 20;
const usualSteps = 50;

/** Carries out `emac eval`; returns 0. */
export async function runEvaluation(values: EvalValues, io: Io): Promise<number> {
  const watch = stopwatch(io.now);
  const list = listGames(values.games);
  const count = values['num-games'] ?? (isBuiltin(values.games) ? gamesOfASuite : list.games.length);
  const games = loadGames(drawGames(list, count, null));
  const few = shortage('--num-games', games.length, values['num-games'] ?? 0);
  const { model, start, student, policy } = await watch.part('opening', () => openPolicy(values));
  try {
    const shown = progress(io.stderr, io.now);
    shown.note(inUse(model));
    for (const note of [list.leftOut, start.note, few]) if (note !== null) shown.note(note);
    const out = values.out === null ? null : outputFile(values.out);
    shown.begin('evaluation', games.length);
    const result = await watch.part('evaluation', () =>
      evaluateGames({
        student,
        policy,
        games,
        trainedOn: start.games,
        checkpoint: values.ckpt,
        progress: shown,
      }),
    );
    shown.end();
    report(result, values, io);
    if (out !== null) writeFileAtomic(out, `${canonicalJson(result, 2)}\n`);
    say(values.json ? io.stderr : io.stdout, `time: ${watch.summary()}`);
    return 0;
  } finally {
    await student.dispose();
  }
}

async function openPolicy(values: EvalValues) {
  const model = await openModel(
    values.model ?? (isModelFolder(values.ckpt) ? values.ckpt : 'emma-tiny'),
    values,
  );
  const start = storedProjection(values.ckpt, model);
  const { generation, text } = speechOf(values, start.policy);
  const student = await openStudent(model, start, { generation, text });
  return {
    model,
    start,
    student,
    policy: { text, maxSteps: values['max-steps'] ?? start.policy?.maxSteps ?? usualSteps },
  };
}

/** Its folder is made first: better no evaluation than one that cannot be written. */
function outputFile(out: string): string {
  const file = /[/\\]$/.test(out) || isFolder(out) ? join(out, 'eval.json') : out;
  createFolder(dirname(file));
  if (isFolder(file)) throw new EmacError('cannot-create', `--out ${file}: is a folder; give another name`);
  return file;
}

function isFolder(path: string): boolean {
  return existsSync(path) && statSync(path).isDirectory();
}

function report(result: EvaluationResult, values: EvalValues, io: Io): void {
  if (values.json) say(io.stdout, JSON.stringify(result));
  else say(io.stdout, evaluationText(result));
}
