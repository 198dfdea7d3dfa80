/**
 * The gradient of an adapter on all steps of an ALFWorld episode: each step a row (`--rows steps`), and the episode as one (`--rows episodes`),
 * in turns in one process. The labels are random admissible commands. Median of three after one that opens the networks. Build, then run
 * `node packages/experiment/dist/bench/episode-rows.bench.js --model emma-tiny`.
 */
import { parseArgs } from 'node:util';
import { Random, type Features, type GradientRow } from '@emac/core';
import { imitationLoss } from '@emac/losses';
import { drawnAdapter, type Student } from '@emac/model';
import { openModel, openStudent, ownProjection, plainHost } from '@emac/opening';
import { modelSchema } from '@emac/settings';
import { openAgent } from '../agent.ts';
import { randomStates } from './random-episode.bench.ts';

const { values } = parseArgs({
  options: {
    model: { type: 'string', default: 'emma-tiny' },
    steps: { type: 'string', default: '5,15,30' },
    rank: { type: 'string', default: '16' },
    'prompt-tokens': { type: 'string', default: '1900' },
  },
});
const [maxTokens, rank, repeats] = [Number(values['prompt-tokens']), Number(values.rank), 3];
const targets = ['q_proj', 'k_proj', 'v_proj', 'o_proj', 'gate_proj', 'up_proj', 'down_proj'] as const;

/** A row for each of an episode's first steps. */
async function rowsOf(count: number): Promise<GradientRow[]> {
  const agent = await openAgent(values.model, {
    speech: { observe: 'text', maxLength: 32, maxTextTokens: maxTokens },
  });
  const rows: GradientRow[] = [];
  for (const { observation, history, command } of await randomStates(agent, count)) {
    const { prompt } = await agent.question({ ...observation, history });
    rows.push({ prompt, answers: [` ${command}`], weight: 1 / count });
  }
  await agent.dispose();
  return rows;
}

async function opened(rows: 'steps' | 'episodes'): Promise<Student> {
  const model = await openModel(modelSchema.parse({ path: values.model, rows }), plainHost());
  const settings = { rank, alpha: 2 * rank, dropout: 0, targets: [...targets], rankStabilized: false };
  const adapter = drawnAdapter(model.files.config, settings, Random.fromSeed('adapter'));
  return openStudent(
    model,
    { ...ownProjection(model.files), adapter },
    {
      generation: { beams: 1, minLength: 1, maxLength: 32 },
      text: { maxTokens, thoughts: false, observe: 'text' },
      train: ['adapter'],
      dropoutSeed: '0',
    },
  );
}

/** Positions that are read: the prompts and answers of all rows, or the longest once and of every other its end. */
function positionsOf(student: Student, rows: readonly GradientRow[]): { steps: number; episodes: number } {
  const lengths = rows.map(({ prompt, answers: [answer] }) => {
    const text = prompt.flatMap((part) => ('text' in part ? [part.text] : [])).join('');
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

const median = (times: readonly number[]): number =>
  [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)]!;

const students = [await opened('steps'), await opened('episodes')] as const;
const steps = values.steps.split(',').map(Number);
const all = await rowsOf(Math.max(...steps));
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
    `${String(count).padStart(2)} steps: ${positions.steps} positions, ${apart.toFixed(0)} ms a row each; ${positions.episodes} positions, ${together.toFixed(0)} ms as one: ${(positions.steps / positions.episodes).toFixed(1)} times fewer, ${(apart / together).toFixed(1)} times as fast; losses differ by ${apartness.toExponential(0)}; ${(process.memoryUsage().rss / 2 ** 30).toFixed(1)} GiB`,
  );
}
for (const student of students) await student.dispose();
