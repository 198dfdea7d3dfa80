/**
 * Measures seconds and memory of behaviour-cloning steps (frame features, forward, backward, update of projection,
 * adapter or both) and of one generated action.
 *
 *   node tools/dist/large-model/measure.js FOLDER [--train projection|lora|projection,lora] [--lora-rank 8]
 *     [--text-tokens 512] [--steps 2] [--act 8] [--beams 1]
 *     [--layers streamed] [--activations kept] [--weights int8 --cache FOLDER] [--threads N]
 */
import { parseArgs } from 'node:util';
import { EmacError, promptOf } from '@emac/core';
import { imitationLoss } from '@emac/losses';
import { createAdamW } from '@emac/optim';
import { peakMemory, residentMemory } from './process-memory.ts';
import { openStudent, openWeights, randomFrame, target, textOf, type StudentChoices } from './sample.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    train: { type: 'string', default: 'projection' },
    'lora-rank': { type: 'string', default: '8' },
    'text-tokens': { type: 'string', default: '512' },
    steps: { type: 'string', default: '2' },
    act: { type: 'string', default: '8' },
    beams: { type: 'string', default: '1' },
    layers: { type: 'string', default: 'streamed' },
    activations: { type: 'string', default: 'kept' },
    weights: { type: 'string', default: 'stored' },
    cache: { type: 'string', default: '.' },
    threads: { type: 'string' },
  },
});
const [folder] = positionals;
if (folder === undefined) throw new EmacError('usage', 'measure: needs a model folder');

function trainOf(train: string): NonNullable<StudentChoices['train']> {
  if (train === 'projection' || train === 'lora' || train === 'projection,lora') return train;
  throw new EmacError('usage', `--train: must be projection, lora or projection,lora, got ${train}`);
}

/** Runs a stage and prints its seconds, those of all cores together, and the memory after it and at its highest. */
async function stage<T>(name: string, run: () => T | Promise<T>): Promise<T> {
  const start = performance.now();
  const before = process.cpuUsage();
  const result = await run();
  const seconds = ((performance.now() - start) / 1000).toFixed(2).padStart(8);
  const { user, system } = process.cpuUsage(before);
  const work = ((user + system) / 1e6).toFixed(1).padStart(6);
  process.stdout.write(
    `${name.padEnd(34)} ${seconds} s, ${work} s of all cores   resident ${residentMemory().toFixed(2)} GB, peak ${peakMemory().toFixed(2)} GB\n`,
  );
  return result;
}

const checkpoint = await stage('open', () => openWeights(folder, values));
const newTokens = Number(values.act);
const student = await openStudent(checkpoint, {
  train: trainOf(values.train),
  rank: Number(values['lora-rank']),
  generation: {
    minLength: newTokens,
    // a target is cut at the longest answer
    maxLength: Number(values.steps) > 0 ? Math.max(newTokens, target.length + 1) : newTokens,
  },
  layers: values.layers as 'streamed' | 'resident',
  activations: values.activations as 'kept' | 'recomputed',
  ...(values.threads ? { threads: Number(values.threads) } : {}),
});
const optimizer = createAdamW(student.groups, {
  betas: [0.9, 0.999],
  epsilon: 1e-8,
  weightDecay: 0.05,
});
const text = textOf(Number(values['text-tokens']), student);
await stage('features of the first frame', () => student.encode!(randomFrame('first')));
const features = await stage('features of a second frame', () => student.encode!(randomFrame('second')));
const prompt = promptOf([features], text);
const row = { prompt, answers: [target] };
if (Number(values.steps) > 0) await stage('forward alone (log-probabilities)', () => student.score([row]));
for (let step = 1; step <= Number(values.steps); step++) {
  const { gradients } = await stage(`step ${step}: forward and backward`, () =>
    student.gradient([{ ...row, weight: 1 / student.countAnswerTokens(target) }], imitationLoss),
  );
  await stage(`step ${step}: update`, () => {
    optimizer.step(gradients, 1e-5);
    student.commit();
  });
}
if (newTokens > 0) {
  const tokens = Number(values.steps) > 0 ? `${newTokens} tokens or more` : `${newTokens} tokens`;
  const question = { prompt, allowed: null, random: null };
  const search = { kind: 'search', beams: Number(values.beams) } as const;
  await stage(`an action of ${tokens}`, () => student.decide([question], search));
}
await student.dispose();
