/**
 * The gradient of an adapter on all steps of an ALFWorld episode: each step a row (`--rows steps`), and the episode as one (`--rows episodes`),
 * in turns in one process. The labels are random admissible commands. Median of three after one that opens the networks. Build, then run
 * `node packages/experiment/dist/bench/episode-rows.bench.js --model emma-tiny`. `--write FILE` gets the rows of the longest episode, for
 * `tools/reference/bench_rows.py`.
 */
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { Features, GradientRow } from '@emac/core';
import { imitationLoss } from '@emac/losses';
import type { Student } from '@emac/model';
import { adapterStudent, episodeRows, median } from './adapter-student.bench.ts';

const { values } = parseArgs({
  options: {
    model: { type: 'string', default: 'emma-tiny' },
    steps: { type: 'string', default: '5,15,30' },
    rank: { type: 'string', default: '16' },
    'prompt-tokens': { type: 'string', default: '1900' },
    write: { type: 'string' },
  },
});
const [maxTokens, rank, repeats] = [Number(values['prompt-tokens']), Number(values.rank), 3];

function textOf({ prompt }: GradientRow): string {
  return prompt.flatMap((part) => ('text' in part ? [part.text] : [])).join('');
}

/** Positions that are read: the prompts and answers of all rows, or the longest once and of every other its end. */
function positionsOf(student: Student, rows: readonly GradientRow[]): { steps: number; episodes: number } {
  const lengths = rows.map((row) => {
    const { prompt, answers } = row;
    const [text, answer] = [textOf(row), answers[0]];
    const seen = prompt.flatMap((part) => ('features' in part ? [part.features as Features] : []));
    const visual = seen.reduce((sum, each) => sum + student.countVisualTokens(each), 0);
    const answered = student.countAnswerTokens(answer as string);
    return { prompt: visual + student.countPromptTokens(text), answer: answered };
  });
  return {
    steps: lengths.reduce((sum, each) => sum + each.prompt + each.answer, 0),
    // the end of every other prompt is one token, `>`
    episodes:
      Math.max(...lengths.map((each) => each.prompt)) +
      lengths.reduce((sum, each) => sum + each.answer + 1, 0),
  };
}

async function timed(student: Student, rows: readonly GradientRow[]): Promise<{ ms: number; loss: number }> {
  const start = performance.now();
  const { loss } = await student.gradient(rows, imitationLoss);
  return { ms: performance.now() - start, loss };
}

const common = { path: values.model, rank, maxTokens };
const students = [
  await adapterStudent({ ...common, rows: 'steps' }),
  await adapterStudent({ ...common, rows: 'episodes' }),
] as const;
const steps = values.steps.split(',').map(Number);
const all = await episodeRows(values.model, Math.max(...steps), maxTokens);
if (values.write)
  writeFileSync(
    values.write,
    JSON.stringify(all.map((row) => ({ text: textOf(row), answer: row.answers[0] }))),
  );
for (const count of steps) {
  const rows = all.slice(0, count).map((row) => ({ ...row, weight: 1 / count }));
  const times: number[][] = [[], []];
  const losses = [0, 0];
  for (let turn = 0; turn <= repeats; turn++)
    for (const [side, student] of students.entries()) {
      const { ms, loss } = await timed(student, rows);
      losses[side] = loss;
      if (turn > 0) times[side]!.push(ms);
    }
  const positions = positionsOf(students[0], rows);
  const [apart, together] = times.map(median) as [number, number];
  const apartness = Math.abs(losses[0]! / losses[1]! - 1);
  console.log(
    `${String(count).padStart(2)} steps: ${positions.steps} positions, ${apart.toFixed(0)} ms a row each; ${positions.episodes} positions, ${together.toFixed(0)} ms as one: ${(positions.steps / positions.episodes).toFixed(1)} times fewer, ${(apart / together).toFixed(1)} times as fast; loss ${losses[0]!.toFixed(6)}, apart by ${apartness.toExponential(0)}; ${(process.memoryUsage().rss / 2 ** 30).toFixed(1)} GiB`,
  );
}
for (const student of students) await student.dispose();
