/**
 * Checks that a finished run learned (`learning-checks.ts`) and prints the numbers. Ends with status 2 if a check
 * failed. With `--evaluated` the run must also hold its evaluations before and after training, `eval-before.json` and
 * `eval.json`, of the same games.
 *
 *   node tools/dist/workspace/check-run.js RUN [--evaluated]
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { EmacError } from '@emac/core';
import { learningChecks, type Check, type MetricsLine } from './learning-checks.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { evaluated: { type: 'boolean', default: false } },
});
const [run, ...others] = positionals;
if (run === undefined || others.length > 0) {
  throw new EmacError('usage', `check-run: needs one run folder, got ${positionals.length}`);
}

type EvaluatedGames = readonly { readonly id: string; readonly won: boolean }[];

function evaluatedGames(folder: string, name: string): EvaluatedGames {
  return (JSON.parse(readFileSync(join(folder, name), 'utf8')) as { readonly games: EvaluatedGames }).games;
}

function evaluationCheck(folder: string): Check {
  const [before, after] = ['eval-before.json', 'eval.json'].map((name) => evaluatedGames(folder, name));
  const won = (games: EvaluatedGames) => games.filter((game) => game.won).length;
  const isSame = before!.map(({ id }) => id).join() === after!.map(({ id }) => id).join();
  return {
    what: `evaluation: ${won(before!)} of ${before!.length} games won before, ${won(after!)} of ${after!.length} after`,
    holds: after!.length > 0 && isSame,
  };
}

const lines = readFileSync(join(run, 'metrics.jsonl'), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as MetricsLine);
const checks = [...learningChecks(lines), ...(values.evaluated ? [evaluationCheck(run)] : [])];
for (const { what, holds } of checks) process.stdout.write(`${holds ? 'ok    ' : 'FAILED'} ${what}\n`);
process.exitCode = checks.every(({ holds }) => holds) ? 0 : 2;
