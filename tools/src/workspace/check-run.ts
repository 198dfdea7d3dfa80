/**
 * Checks that a finished run learned (`learning-checks.ts`) and prints the numbers. Ends with status 2 where a check
 * failed. With `--evaluated` the run must also hold the evaluation of its final policy, `eval.json`.
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

function evaluationCheck(folder: string): Check {
  const { games } = JSON.parse(readFileSync(join(folder, 'eval.json'), 'utf8')) as {
    readonly games: readonly { readonly won: boolean }[];
  };
  const won = games.filter((game) => game.won).length;
  return { what: `final policy: ${won} of ${games.length} games`, holds: games.length > 0 };
}

const lines = readFileSync(join(run, 'metrics.jsonl'), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as MetricsLine);
const checks = [...learningChecks(lines), ...(values.evaluated ? [evaluationCheck(run)] : [])];
for (const { what, holds } of checks) process.stdout.write(`${holds ? 'ok    ' : 'FAILED'} ${what}\n`);
process.exitCode = checks.every(({ holds }) => holds) ? 0 : 2;
