/** `emac eval` from start to end. Nothing here knows an expert or a network. */
import { dirname, join } from 'node:path';
import { EmacError } from '@emac/core';
import { canonicalJson, createFolder, isFolder, tryWriting, writeFileAtomic } from '@emac/files';
import { layout } from '@emac/runs';
import type { DatasetResult, EvaluationResult } from '@emac/trainer';
import { evaluationText } from './evaluation-table.ts';
import { evalOptions, type EvalValues } from './eval-command.ts';
import { dataText, evaluateData, type DataEvaluation } from './eval-data.ts';
import { drawGames, isBuiltin, listGames, loadGames, shortage } from './games.ts';
import { writeEvaluationLogs } from './eval-logs.ts';
import { evaluateGames, type HeldOut } from './held-out.ts';
import { say, type Io } from './io.ts';
import { inUse, openModel, openStudent } from './model.ts';
import { openDataset } from './offline-dataset.ts';
import { requireLengths } from './offline-lengths.ts';
import type { PlayedGame } from './published-logs.ts';
import { speechOf } from './policy.ts';
import { progress } from './progress.ts';
import { isModel, storedProjection } from './projection-start.ts';
import { stopwatch } from './stopwatch.ts';

const gamesOfASuite = 20;
const usualSteps = 50;

/** Carries out `emac eval`; returns 0. */
export async function runEvaluation(values: EvalValues, io: Io): Promise<number> {
  refuseOthers(values);
  const watch = stopwatch(io.now);
  const { data, images } = values;
  const dataset = data === null ? null : openDataset(data, { flag: '--data', images });
  const drawn = dataset ? null : drawnGames(values);
  const opened = await watch.part('opening', () => openPolicy(values));
  const { model, start, student, policy } = opened;
  try {
    if (dataset) await requireLengths(dataset, { ...opened, ...policy, pairs: false });
    const shown = progress(io.stderr, io.now);
    shown.note(inUse(model));
    for (const note of [...(drawn?.notes ?? []), start.note]) if (note !== null) shown.note(note);
    const out = values.out === null ? null : outputFile(values.out);
    const common = { student, policy, checkpoint: values.ckpt, progress: shown };
    const { result, text } = await watch.part('evaluation', () =>
      drawn
        ? onGames(values, { ...common, games: drawn.games, trainedOn: start.games }, io.now)
        : onData({ ...common, dataset: dataset! }),
    );
    shown.end();
    say(io.stdout, values.json ? JSON.stringify(result) : text);
    if (out !== null) writeFileAtomic(out, `${canonicalJson(result, 2)}\n`);
    say(values.json ? io.stderr : io.stdout, `time: ${watch.summary()}`);
    return 0;
  } finally {
    dataset?.close();
    await student.dispose();
  }
}

function drawnGames(values: EvalValues) {
  const list = listGames(values.games);
  const count = values['num-games'] ?? (isBuiltin(values.games) ? gamesOfASuite : list.games.length);
  const games = loadGames(drawGames(list, count, null));
  return { games, notes: [list.leftOut, shortage('--num-games', games.length, values['num-games'] ?? 0)] };
}

interface Evaluated {
  readonly result: EvaluationResult | DatasetResult;
  /** for people */
  readonly text: string;
}

async function onGames(
  values: EvalValues,
  heldOut: Omit<HeldOut, 'admissibleOnly'>,
  now: () => number,
): Promise<Evaluated> {
  const since = now();
  const logs = values.out === null ? null : logsFolder(values.out);
  const played: PlayedGame[] = [];
  const result = await evaluateGames({
    ...{ ...heldOut, admissibleOnly: values['admissible-only'] },
    onPlayed: (game) => void (logs && played.push(game)),
  });
  if (logs !== null) writeEvaluationLogs(logs, { ...heldOut, played, seconds: (now() - since) / 1000 });
  return { result, text: evaluationText(result) };
}

async function onData(evaluation: DataEvaluation): Promise<Evaluated> {
  const result = await evaluateData(evaluation);
  return { result, text: dataText(result) };
}

function refuseOthers(values: EvalValues): void {
  const ofGames = ['games', 'num-games', 'max-steps', 'admissible-only'] as const;
  if (values.data === null && values.images !== null)
    throw new EmacError('usage', '--images: belongs to --data, which was not given');
  for (const name of ofGames)
    if (values.data !== null && values[name] !== evalOptions[name].default)
      throw new EmacError('usage', `--${name}: belongs to games, --data has none`);
}

async function openPolicy(values: EvalValues) {
  const model = await openModel(values.model ?? (isModel(values.ckpt) ? values.ckpt : 'emma-tiny'), values);
  const start = storedProjection(values.ckpt, model);
  const { generation, text } = speechOf(values, start.policy);
  const student = await openStudent(model, start, { generation, text });
  return {
    model,
    start,
    student,
    policy: { generation, text, maxSteps: values['max-steps'] ?? start.policy?.maxSteps ?? usualSteps },
  };
}

/** Its folder is made and tried first: better no evaluation than one that cannot be written. */
function outputFile(out: string): string {
  const file = /[/\\]$/.test(out) || isFolder(out) ? join(out, 'eval.json') : out;
  createFolder(dirname(file));
  if (isFolder(file)) throw new EmacError('cannot-create', `--out ${file}: is a folder; give another name`);
  tryWriting(file);
  return file;
}

/** Beside the result, where that is in a folder of its own. */
function logsFolder(out: string): string | null {
  return isFolder(out) ? join(out, layout.results) : null;
}
