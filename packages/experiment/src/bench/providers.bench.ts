/**
 * A provider of ONNX Runtime after the processor, in one process: the gradient of an adapter on the steps of an ALFWorld episode
 * (`--rows steps` and `episodes`) and a step of acting. Prints medians (of three gradients after one that warms up; the fourth of the last six steps), their ratio, and how far loss,
 * gradients and commands are apart (the adapter's B is 0, so A has no gradient). Build, then run
 * `node packages/experiment/dist/bench/providers.bench.js --provider webgpu --model emma-tiny`.
 */
import { parseArgs } from 'node:util';
import type { Gradient, GradientRow } from '@emac/core';
import { imitationLoss } from '@emac/losses';
import { openAgent } from '../agent.ts';
import { adapterStudent, episodeRows, median } from './adapter-student.bench.ts';
import { randomStates } from './random-episode.bench.ts';

const { values } = parseArgs({
  options: {
    provider: { type: 'string', default: 'webgpu' },
    model: { type: 'string', default: 'emma-tiny' },
    steps: { type: 'string', default: '15' },
    rank: { type: 'string', default: '16' },
    'prompt-tokens': { type: 'string', default: '1900' },
    'answer-tokens': { type: 'string', default: '8' },
    parts: { type: 'string', default: 'episodes,steps,greedy,beams' },
  },
});
const provider = values.provider as 'webgpu' | 'cuda';
const [rank, maxTokens, repeats] = [Number(values.rank), Number(values['prompt-tokens']), 3];
const sides = ['cpu', provider] as const;
const milliseconds = (time: number) => `${time.toFixed(time < 100 ? 1 : 0)} ms`;

/** ‖a − b‖ / ‖a‖ over all gradients. */
function apart(a: Gradient, b: Gradient): number {
  let [difference, size] = [0, 0];
  for (const [name, gradient] of a.gradients) {
    const other = b.gradients.get(name)!;
    gradient.forEach((value, place) => {
      difference += (value - other[place]!) ** 2;
      size += value ** 2;
    });
  }
  return Math.sqrt(difference / size);
}

async function gradients(kind: 'steps' | 'episodes', rows: readonly GradientRow[]): Promise<string> {
  const times: number[][] = [[], []];
  const found: Gradient[] = [];
  for (const [side, each] of sides.entries()) {
    const student = await adapterStudent({
      path: values.model,
      rank,
      maxTokens,
      rows: kind,
      provider: each,
    });
    for (let turn = 0; turn <= repeats; turn++) {
      const start = performance.now();
      found[side] = await student.gradient(rows, imitationLoss);
      if (turn > 0) times[side]!.push(performance.now() - start);
    }
    await student.dispose();
  }
  const [mine, other] = found as [Gradient, Gradient];
  const [cpu, gpu] = times.map(median) as [number, number];
  return `gradient, --rows ${kind}, ${rows.length} steps: ${milliseconds(cpu)} on cpu, ${milliseconds(gpu)} on ${provider}, ${(cpu / gpu).toFixed(2)} times as fast; loss ${mine.loss.toFixed(6)}, apart by ${Math.abs(other.loss / mine.loss - 1).toExponential(1)}; gradients apart by ${apart(mine, other).toExponential(1)}`;
}

async function acting(name: string, beams: number, steps: number, contextMemory: number): Promise<string> {
  const times: number[][] = [[], []];
  const said: string[][] = [[], []];
  for (const [side, each] of sides.entries()) {
    const agent = await openAgent(values.model, {
      model: { contextMemory, provider: each },
      speech: {
        beams,
        maxLength: Number(values['answer-tokens']),
        observe: 'text',
        maxPromptTokens: maxTokens,
      },
    });
    for (const [step, { observation, history }] of (await randomStates(agent, steps)).entries()) {
      const start = performance.now();
      said[side]!.push(await agent.act(observation, history));
      if (step >= steps - 6) times[side]!.push(performance.now() - start);
    }
    await agent.dispose();
  }
  const [cpu, gpu] = times.map(median) as [number, number];
  const equal = said[0]!.filter((command, step) => command === said[1]![step]).length;
  return `${name}, step ${steps}, --context-memory ${contextMemory}: ${milliseconds(cpu)} on cpu, ${milliseconds(gpu)} on ${provider}, ${(cpu / gpu).toFixed(2)} times as fast; ${equal} of ${steps} commands equal`;
}

const parts = values.parts.split(',');
for (const count of values.steps.split(',').map(Number)) {
  for (const kind of ['episodes', 'steps'] as const)
    if (parts.includes(kind))
      console.log(await gradients(kind, await episodeRows(values.model, count, maxTokens)));
  for (const memory of [0, 2048]) {
    if (parts.includes('greedy')) console.log(await acting('greedy', 1, count, memory));
    if (parts.includes('beams')) console.log(await acting('5 beams', 5, count, memory));
  }
}
